"""Lists: views, sorts, opening hours, search, and explanations of a thread's place."""
