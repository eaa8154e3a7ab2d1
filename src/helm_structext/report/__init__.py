"""A finished suite as pages: `helm_structext.report.writing` puts together what benchmarks describe as data."""
