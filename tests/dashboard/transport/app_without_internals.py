"""`app.py` with libraries that seem to lack names which the product uses.

    python -m tests.dashboard.transport.app_without_internals …

It runs in a process of its own because monkey-patching changes all modules.
"""

import importlib
import os
import runpy

MODE = os.environ["LINEUP_ASYNC_MODE"]
if MODE == "eventlet":
    importlib.import_module("eventlet").monkey_patch()
else:
    importlib.import_module("gevent.monkey").patch_all()

from dashboard.transport import internals, redis_parser  # noqa: E402

internals.MANAGER_NAMES = (*internals.MANAGER_NAMES, "renamed")
redis_parser.PARSER_NAMES = (*redis_parser.PARSER_NAMES, "renamed")

runpy.run_path("app.py", run_name="__main__")
