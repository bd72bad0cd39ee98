"""The actor of a command: the user of the operating system, on a machine."""

import os
import pwd
import socket

import pytest

from dashboard.cli.context import operator
from dashboard.db.audit import Actor


@pytest.mark.parametrize(("invoker", "shown"), [(None, ""), ("mai", " (sudo: mai)")])
def test_an_operator_is_the_user_of_the_process(monkeypatch, invoker, shown):
    monkeypatch.delenv("SUDO_USER", raising=False)
    monkeypatch.setenv("LOGNAME", "another")
    if invoker is not None:
        monkeypatch.setenv("SUDO_USER", invoker)
    name = pwd.getpwuid(os.getuid()).pw_name
    assert operator() == Actor("command", name=name + shown, address=socket.gethostname())


def test_a_user_without_a_name_is_a_number(monkeypatch):
    monkeypatch.delenv("SUDO_USER", raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 987_654)
    assert operator().name == "uid 987654"
