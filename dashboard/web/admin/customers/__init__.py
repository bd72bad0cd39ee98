"""Deleting all that is kept of a customer, for supervisors."""
