"""The HTTP server of a web process, under eventlet and gevent."""
