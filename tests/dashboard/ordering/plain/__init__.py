"""The plain reader that lists of queries are compared with."""
