"""Lineup's command line: `python app.py COMMAND`, or `lineup COMMAND` where it is installed.

Patches the standard library, then runs the command.
"""

import gc
import os
import signal
import sys
import time
import warnings
from typing import NoReturn

if sys.version_info < (3, 11):
    sys.exit("lineup: Python 3.11 or later is needed.")

began = time.monotonic()

# During the imports there is nothing to clean up, so these signals end the process at once.
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *given: os._exit(1))

# Allocations between two collections of cyclic garbage. With Python's default of 700 the collector
# scans all modules again and again, which took a fifth of the time of a rebuild.
gc.set_threshold(20_000, 20, 20)

# Patch before all other imports, because patching changes what they import. An editor may have left
# its marks in the file of the variables, as `dashboard.settings` says.
names = ("LINEUP_ASYNC_MODE", "\ufeffLINEUP_ASYNC_MODE")
mode = next((os.environ[name] for name in names if name in os.environ), "")
if mode.rstrip("\r\n").lower() == "gevent":
    from gevent import monkey

    monkey.patch_all()
else:
    # eventlet is in maintenance, and its warning at each start would tell users nothing new.
    warnings.filterwarnings("ignore", message="\\s*Eventlet is deprecated")
    # The system resolves names (`eventlet_server.getaddrinfo`): eventlet's own resolver takes 8 MB.
    os.environ.setdefault("EVENTLET_NO_GREENDNS", "yes")
    import eventlet

    # Otherwise psycopg waits in C, which stops every green thread.
    os.environ.setdefault("PSYCOPG_WAIT_FUNC", "wait_selector")
    eventlet.monkey_patch()

from dashboard.cli.main import main


def run() -> NoReturn:
    sys.exit(main(began=began))


if __name__ == "__main__":
    run()
