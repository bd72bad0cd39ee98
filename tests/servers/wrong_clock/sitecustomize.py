"""On the PYTHONPATH of a server, sets its clock wrong by `WRONG_CLOCK_SECONDS`, for tests."""

import os
import time

_NS = int(float(os.environ["WRONG_CLOCK_SECONDS"]) * 1e9)
_right_ns = time.time_ns

time.time_ns = lambda: _right_ns() + _NS
time.time = lambda: (_right_ns() + _NS) / 1e9
