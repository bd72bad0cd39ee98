"""Sockets: every private name of Engine.IO, Socket.IO and redis-py is in here."""
