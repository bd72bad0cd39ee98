"""Lineup's command line: `python app.py COMMAND`. Patches the standard library, then runs it."""

import gc
import os
import signal
import sys
import time
import warnings

if sys.version_info < (3, 11):
    sys.exit("lineup: Python 3.11 or later is needed.")

began = time.monotonic()

# While modules are imported nothing has begun that would have to be given back.
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *given: os._exit(1))

# Allocations between two collections of cyclic garbage. Python's default of 700 goes through all
# modules again and again: that was a fifth of the time of a rebuild.
gc.set_threshold(20_000, 20, 20)

# Before anything else is imported, for it changes what they import.
if os.environ.get("LINEUP_ASYNC_MODE", "").lower() == "gevent":
    from gevent import monkey

    monkey.patch_all()
else:
    # eventlet is in maintenance, and its warning at each start would tell users nothing new.
    warnings.filterwarnings("ignore", message="\\s*Eventlet is deprecated")
    # The system looks names up (`eventlet_server.getaddrinfo`): eventlet's own takes 8 MB.
    os.environ.setdefault("EVENTLET_NO_GREENDNS", "yes")
    import eventlet

    # psycopg waits in C otherwise, and stops every green thread meanwhile.
    os.environ.setdefault("PSYCOPG_WAIT_FUNC", "wait_selector")
    eventlet.monkey_patch()

from dashboard.cli.main import main

if __name__ == "__main__":
    sys.exit(main(began=began))
