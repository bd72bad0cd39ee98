"""Names under which the server, the gate and the sockets tell each other of a request (WSGI)."""

#: The connection that the request came on.
SOCKET = "lineup.socket"
#: Called with bytes: how many of them the connection takes now, without waiting.
SEND_NOW = "lineup.send_now"
#: Called with nothing: this request is the last one on its connection.
CLOSE = "lineup.close"
#: Called with nothing: whoever calls answers on the connection himself.
TAKE_OVER = "lineup.take_over"
#: Who is signed in: put there by the gate, once the session was found good.
IDENTITY = "lineup.identity"
#: The WebSocket that the request has become.
WEBSOCKET = "lineup.websocket"
