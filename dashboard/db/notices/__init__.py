"""What concerns an admin personally."""
