"""Fills the new lists of a rebuild with what SQL has."""
