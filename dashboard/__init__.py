"""The application: the way in, the store, the way out and the web."""
