"""The dashboard's calls for opening hours and policies."""
