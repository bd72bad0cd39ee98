"""Whether the order is known to be right, for supervisors."""
