"""Pushes changes of lists and open threads to the sockets of this process."""
