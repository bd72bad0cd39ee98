"""The lists of queries: which there are, and what stands on them."""
