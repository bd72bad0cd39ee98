"""Several web processes on one port."""
