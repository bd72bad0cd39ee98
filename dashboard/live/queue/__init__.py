"""The state of the queue, in numbers: for supervisors and for metrics."""
