"""Mentions: whom a note names, and what reading it changes."""
