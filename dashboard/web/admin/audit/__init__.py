"""The audit log in the admin API, for supervisors."""
