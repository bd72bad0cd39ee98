"""The calls of the profile page: name, password, second factor and sessions of one's own."""
