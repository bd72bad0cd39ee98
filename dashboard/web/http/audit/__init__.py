"""What requests tell the audit log."""
