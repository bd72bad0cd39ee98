"""The SQL reader of the condition language."""
