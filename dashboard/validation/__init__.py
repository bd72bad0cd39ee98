"""Validation of what comes from outside: fields, strict JSON, timestamps, and where an error is."""
