"""Fresh rounds of Image2Struct: from listings of public hosts to a dataset in the published schema.

A round goes one way: listing → fetch filters → download → file filters → render → rendering filters
→ dataset (paper, section 2.1). `records` says what travels; each domain (`latex`, `webpage`, `music`)
is a table of what happens to it (`Collector`); `pipeline` walks the table; `journal` keeps what came out.
"""

COLLECTORS = {
    domain: f"helm_structext.image2struct.collect.{domain}:COLLECTOR"
    for domain in ("latex", "webpage", "music")
}
"""Where the table of each domain is, for `helm_structext.formats.load`."""
