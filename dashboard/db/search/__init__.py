"""Full-text search of threads."""
