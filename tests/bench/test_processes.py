"""Nothing that a bench started outlives it."""

import subprocess
import sys

from bench.processes import ROOT

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
