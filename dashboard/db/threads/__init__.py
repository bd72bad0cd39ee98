"""Threads, their customers, events and messages."""
