"""The archive over HTTP."""
