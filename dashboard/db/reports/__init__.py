"""Reports: what happened in threads, and the numbers made of it."""
