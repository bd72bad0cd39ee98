"""Queues through real servers."""
