"""Attacks on an address of one's own, and what they do to everybody else there."""
