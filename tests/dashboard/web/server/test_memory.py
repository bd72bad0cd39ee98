"""Large blocks of memory go back to the system when they are freed."""

import platform
import subprocess
import sys

import pytest

#: Hashes passwords in several threads and says by how many bytes the process has grown.
_HASHES = """
import os, threading
from dashboard.db.accounts import passwords
from dashboard.web.server.server import return_large_blocks

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

if {returns}:
    assert return_large_blocks()
started, done = threading.Barrier(9), threading.Barrier(9)

def work():
    started.wait()
    for _ in range(2):
        passwords.hashed("a password")
    done.wait()
    done.wait()

for _ in range(8):
    threading.Thread(target=work).start()
before = resident()
started.wait()
done.wait()
print(resident() - before)
done.wait()
"""


def grown_mib(returns: bool) -> float:
    program = _HASHES.format(returns=returns)
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    return int(run.stdout) / 2**20


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt is of glibc")
def test_hashes_of_passwords_leave_nothing_behind():
    assert grown_mib(returns=True) < 20 < grown_mib(returns=False)
