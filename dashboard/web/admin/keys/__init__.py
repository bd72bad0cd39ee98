"""API keys in the admin API."""
