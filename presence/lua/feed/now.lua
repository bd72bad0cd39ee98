-- Job: the time. KEYS: any of the shard's. ARGV: none. Returns ms since 1970.
return string.format('%.0f', now_ms())
