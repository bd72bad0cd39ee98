"""Open threads: what is new in them goes to the sockets that have them open."""
