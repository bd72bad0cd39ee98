"""Lists of queries: their rows in SQL, and the threads on them."""
