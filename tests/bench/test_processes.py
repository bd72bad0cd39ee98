"""The cost of a bench's processes is counted, and nothing that it started outlives it."""

import subprocess
import sys

from bench.processes import ROOT, cpu_seconds

#: A child that ends at once and leaves one of its own behind, as a daemon does.
_SCRIPT = """
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from bench.processes import adopt_orphans, end_children
adopt_orphans()
with TemporaryDirectory() as folder:
    note = Path(folder, "pid")
    subprocess.run(["setsid", "sh", "-c", f"sleep 600 & echo $! > {note}"], check=True)
    left = int(note.read_text())
assert Path(f"/proc/{left}").exists()
assert left in end_children()
assert not Path(f"/proc/{left}").exists()
assert end_children() == []
"""


def test_who_lost_its_parent_is_ended_as_well():
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


_BUSY = "import time\nwhile time.process_time() < 0.3: pass"

_PARENT = f"""
import subprocess, sys
subprocess.run([sys.executable, "-c", {_BUSY!r}], check=True)
print(flush=True)
input()
"""


def test_the_processor_time_of_a_child_that_has_ended_still_counts():
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout and process.stdout.readline()
        # The kernel counts user and system time in whole ticks of 10 ms each.
        assert cpu_seconds(process.pid) >= 0.28
