"""Snoozes: how they begin and end, and what time does to threads."""
