"""Lists: views, sorts, opening hours, search, and why a thread is where it is."""
