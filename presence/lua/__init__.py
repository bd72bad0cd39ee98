"""The Lua of presence: scripts (jobs) by subject, and the pieces that they share."""
