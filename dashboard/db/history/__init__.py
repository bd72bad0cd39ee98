"""The past: states of threads, views as they were, and any list at any moment."""
