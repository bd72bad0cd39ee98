"""What colleagues have."""
