"""A finished suite of HELM runs, read back: tables, statistics, reports, and scores made again."""
