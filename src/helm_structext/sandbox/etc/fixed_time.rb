# Jekyll has one time, for `site.time` and `'now' | date` alike.
def Time.now(**) = at(Integer(ENV.fetch("SOURCE_DATE_EPOCH"))).utc
