"""The dashboard's calls for saved views."""
