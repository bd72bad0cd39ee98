"""The Python SDK, and an application that it calls without a socket."""

import httpx


class Network(httpx.BaseTransport):
    """The way to the application; it may be down, lose the next answers, or have a proxy, which
    refuses bodies of more than `limit` bytes, or everything, with an answer of its own."""

    def __init__(self, app):
        self._way = httpx.WSGITransport(app=app)
        self.is_down, self.lost = False, 0
        self.limit, self.proxy_answer = 0, None
        self.requests: list[httpx.Request] = []

    def handle_request(self, request):
        self.requests.append(request)
        if self.is_down:
            raise httpx.ConnectError("down")
        if self.proxy_answer:
            return self.proxy_answer
        if self.limit and len(request.content) > self.limit:
            return httpx.Response(413, html="<h1>nginx</h1>")
        answer = self._way.handle_request(request)
        if self.lost:
            self.lost -= 1
            raise httpx.ReadTimeout("lost")
        return answer
