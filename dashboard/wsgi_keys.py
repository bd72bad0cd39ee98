"""Keys of the WSGI environ that the HTTP server, the gate and the sockets share."""

#: The connection of the request (a socket).
SOCKET = "lineup.socket"
#: Called with bytes: writes as many as the connection takes without waiting, returns the number.
SEND_NOW = "lineup.send_now"
#: Called with a number: reads up to that many bytes without waiting. Raises BlockingIOError.
RECEIVE_NOW = "lineup.receive_now"
#: Called with a descriptor and seconds: waits for input, or its end. Raises TimeoutError.
WAIT_READABLE = "lineup.wait_readable"
#: Called with a descriptor and a function, which is called each time more input or its end has
#: come, and returns whether all of it is handled; returns a function that ends this. Missing if the
#: system has no epoll (`readiness.Readiness`).
WATCH = "lineup.watch"
#: The target of the request line, as it was sent.
TARGET = "lineup.target"
#: Called without arguments: the caller writes the answer to the connection itself.
TAKE_OVER = "lineup.take_over"
#: The signed-in admin (Identity); set by the gate after it has checked the session.
IDENTITY = "lineup.identity"
#: The WebSocket that the request has become.
WEBSOCKET = "lineup.websocket"
