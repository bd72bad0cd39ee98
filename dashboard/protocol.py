"""The version of what pages and servers say to each other."""

#: Grows when a page that was loaded before could not go on with a new server.
PROTOCOL = 1
