"""Queues in SQL: definitions, threads to hand out, admins to ask, and hand-outs."""
