"""What a server counts, for Prometheus: each worker counts for itself, and any answers for all."""
