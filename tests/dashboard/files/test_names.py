"""Names of files as they are kept."""

import pytest

from dashboard.files.uploads import NAME_MAX, clean


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("invoice.pdf", "invoice.pdf"),
        ("Hóa đơn tháng 11.pdf", "Hóa đơn tháng 11.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\mai\\a.txt", "a.txt"),
        ("..", "file"),
        (".", "file"),
        ("", "file"),
        ("/", "file"),
        ("a/", "file"),
        (".htaccess", "htaccess"),
        ("a\x00b\r\nSet-Cookie: x.txt", "abSet-Cookie x.txt"),
        # A name that would be read from right to left: it looks like exe.jpg without the control.
        ("photo\u202egpj.exe", "photogpj.exe"),
        ("a\u200bb.txt", "ab.txt"),
        ('a"b<c>.txt', "abc.txt"),
        ("  two   blanks \t.txt", "two blanks .txt"),
        ("e\u0301.txt", "\u00e9.txt"),
    ],
)
def test_a_name_is_the_last_part_of_a_path_without_what_is_unsafe(given, kept):
    assert clean(given) == kept


@pytest.mark.parametrize("name", ["x" * 1_000 + ".pdf", "x" * 1_000, "x." + "y" * 1_000])
def test_a_long_name_is_cut_and_keeps_a_short_extension(name):
    kept = clean(name)
    assert len(kept) == NAME_MAX
    assert kept.endswith(".pdf") is name.endswith(".pdf")
