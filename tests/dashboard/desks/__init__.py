"""Privacy between desks: two worlds that differ only in the threads of other desks."""
