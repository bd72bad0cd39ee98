"""Rate limits that all workers count together, in Redis."""
