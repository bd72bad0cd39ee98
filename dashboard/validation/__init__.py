"""Validates outside input: fields, strict JSON, timestamps; names the place of each error."""
