"""What signing in needs of HTTP, by whatever method."""
