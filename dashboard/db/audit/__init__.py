"""The audit log: what is written down, of whom, and where it is read."""
