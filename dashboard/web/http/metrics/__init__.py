"""Counts for Prometheus: each worker counts for itself, and any worker answers for all."""
