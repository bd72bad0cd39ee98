"""The versions of the product, and of the protocol between the page and the server."""

#: Raised when a page loaded earlier cannot work with a newer server.
PROTOCOL = 2

#: The version in pyproject.toml.
VERSION = "0.1.0"
