"""Memory that is not needed any more goes back to the system."""

import ctypes

#: Blocks from this size on, in bytes, are mapped, and so unmapped when they are freed.
MAPPED_BYTES = 1024 * 1024
#: Of mallopt(3), in glibc.
_M_MMAP_THRESHOLD = -3


def return_large_blocks() -> bool:
    """Makes the C library return large blocks when they are freed; whether it can.

    By itself glibc raises the limit as large blocks come and go, and keeps them for each thread: a
    password's hash takes 19 MiB, and so a hundred sign-ins left a process 290 MiB larger.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(_M_MMAP_THRESHOLD, MAPPED_BYTES))
