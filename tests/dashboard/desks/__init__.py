"""What desks keep from whom: two worlds that differ in the threads of other desks alone."""
