"""Runs the shop of examples/direct beside the demo, until the demo's process ends."""

import importlib
import logging
import os
import sys
import threading
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
#: The folder of the example: in a checkout, or in the wheel.
_DIRECT = next(path for name in ("examples", "demo") if (path := _ROOT / name / "direct").is_dir())


def main() -> None:
    threading.Thread(target=_end_with_the_demo, daemon=True).start()
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    sys.path[:0] = [str(_DIRECT), str(_ROOT / "clients" / "python")]
    importlib.import_module("shop").main()


def _end_with_the_demo() -> None:
    # The other end of this pipe is closed with the demo's process, however it ends.
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
