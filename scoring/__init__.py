"""The order of threads: facts are packed into one exact score for each sort, and kept in Redis."""
