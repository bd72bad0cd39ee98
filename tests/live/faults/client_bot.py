"""A chatbot on the Python SDK, for the tests that kill it.

POST /THREAD?id=ID says the body as the customer of the thread. Other calls are webhooks. What the
team answers is kept in the table `answers` of its file.
"""

import sys
from socketserver import ThreadingMixIn
from urllib.parse import parse_qs
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from lineup_client import Lineup, Receiver, Sender

url, key, secret, file, port = sys.argv[1:]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, format, *given):
        """Logs nothing."""


lineup = Lineup(url, key, timeout=5)
sender, receiver = Sender(lineup, file), Receiver(lineup, secret, file)
receiver.database.execute("CREATE TABLE IF NOT EXISTS answers (thread TEXT, body TEXT)")


@receiver.on("message.created")
def answered(event):
    values = event["thread"], event["data"]["body"]
    receiver.database.execute("INSERT INTO answers VALUES (?, ?)", values)


def application(environ, start_response):
    query = parse_qs(environ.get("QUERY_STRING", ""))
    if "id" not in query:
        return receiver.wsgi(environ, start_response)
    thread, body = environ["PATH_INFO"][1:], environ["wsgi.input"]
    text = body.read(int(environ["CONTENT_LENGTH"])).decode()
    sender.message(thread, {"id": f"c-{thread}"}, "client", text, id=query["id"][0])
    start_response("204 No Content", [])
    return []


with sender, receiver:
    make_server("127.0.0.1", int(port), application, Server, Quiet).serve_forever()
