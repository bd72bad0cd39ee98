"""Attacks on a server of one's own, and their effect on everybody else."""
