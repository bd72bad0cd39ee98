"""Where threads belong by SQL, and what of it is known to be in Redis."""
