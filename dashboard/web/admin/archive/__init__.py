"""The archived threads of lists."""
