"""The dashboard's calls for sorts."""
