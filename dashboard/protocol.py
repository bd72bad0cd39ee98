"""The version of the protocol between the page and the server."""

#: Raised when a page loaded earlier cannot work with a newer server.
PROTOCOL = 2
