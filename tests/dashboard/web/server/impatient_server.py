"""The HTTP server under either kind of green threads, with a time limit for each request.

    python -m tests.dashboard.web.server.impatient_server KIND PORT SECONDS

It runs in a process of its own because monkey-patching changes all modules.
"""

import importlib
import sys

KIND, PORT, SECONDS = sys.argv[1:]
if KIND == "eventlet":
    importlib.import_module("eventlet").monkey_patch()
else:
    importlib.import_module("gevent.monkey").patch_all()

from dashboard.web.http import bodies  # noqa: E402
from dashboard.web.server.server import serve  # noqa: E402

bodies.REQUEST_SECONDS = float(SECONDS)


def app(environ, start_response):
    start_response("200 OK", [("Content-Length", "0")])
    return [b""]


serve(app, "127.0.0.1", int(PORT), KIND)
