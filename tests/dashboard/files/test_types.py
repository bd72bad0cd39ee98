"""The type of a file is found from its content; pictures are re-encoded."""

import fcntl
import io
import os
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image

from dashboard.files import pictures, uploads
from tests.dashboard.files import samples
from tests.support import stays, wait_until


def encoded(tmp_path, content: bytes) -> tuple[str | None, bytes]:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(content)
    type = pictures.reencode(source, target)
    return type, target.read_bytes() if type else b""


@pytest.mark.parametrize(
    ("content", "name", "type"),
    [
        (samples.HTML, "a.png", "text/plain"),
        (samples.SVG, "a.svg", "text/plain"),
        (b"GIF89a<script>alert(1)</script>", "a.gif", "text/plain"),
        (samples.PDF, "a.txt", "application/pdf"),
        (b"%PDF-1.4\nonly text", "a", "application/pdf"),
        (samples.ZIP, "a.zip", "application/zip"),
        ("xin chào".encode(), "a.exe", "text/plain"),
        ("x" * 65_535 + "ế", "a.txt", "text/plain"),
        (b"MZ\x90\x00\x03\x00\x00\x00", "a.pdf", uploads.UNKNOWN),
        (b"\x00\x01\x02\x03", "a.mp4", uploads.UNKNOWN),
        (b"\xff", "a.pdf", uploads.UNKNOWN),
        (b"\x00\x00\x00\x18ftypmp42" + bytes(40), "a.html", "video/mp4"),
    ],
)
def test_the_type_is_that_of_the_content_whatever_the_name_says(tmp_path, content, name, type):
    path = tmp_path / "content"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert uploads.type_of(path, name) == type


@pytest.mark.parametrize("format", ["PNG", "JPEG", "GIF", "WEBP"])
def test_pictures_of_these_formats_are_encoded_anew(tmp_path, format):
    type, made = encoded(tmp_path, samples.picture(format))
    assert type == f"image/{format.lower()}"
    with Image.open(io.BytesIO(made)) as image:
        assert (image.format, image.size) == (format, (4, 3))


def test_what_a_picture_says_of_itself_and_what_stands_behind_it_is_left_out(tmp_path):
    content = samples.photo()
    assert samples.PLACE in content and samples.HTML in content, "the sample holds them"
    type, made = encoded(tmp_path, content)
    assert type == "image/jpeg"
    assert samples.PLACE not in made and b"script" not in made and b"Exif" not in made
    with Image.open(io.BytesIO(made)) as image:
        assert image.size == (20, 40), "it stands upright"
        assert not image.getexif()


@pytest.mark.parametrize("format", ["PNG", "WEBP"])
def test_texts_and_profiles_of_other_formats_are_left_out(tmp_path, format):
    exif = Image.Exif()
    exif[0x010E] = samples.PLACE.decode()
    content = samples.picture(format, exif=exif, icc_profile=samples.PLACE)
    assert samples.PLACE in content, "the sample holds them"
    assert samples.PLACE not in encoded(tmp_path, content)[1]


def test_of_several_pictures_of_a_camera_the_first_is_kept(tmp_path):
    made = io.BytesIO()
    first, second = (Image.new("RGB", (8, 8), colour) for colour in ("teal", "red"))
    first.save(made, format="MPO", save_all=True, append_images=[second])
    type, kept = encoded(tmp_path, made.getvalue())
    assert type == "image/jpeg"
    with Image.open(io.BytesIO(kept)) as image:
        assert (image.format, image.size) == ("JPEG", (8, 8))


@pytest.mark.parametrize("format", ["GIF", "WEBP", "PNG"])
def test_an_animation_stays_one(tmp_path, format):
    type, made = encoded(tmp_path, samples.animation(format))
    assert type == f"image/{format.lower()}"
    with Image.open(io.BytesIO(made)) as image:
        assert image.n_frames == 3


def test_a_picture_with_palette_and_transparency_stays_transparent(tmp_path):
    made = io.BytesIO()
    Image.new("P", (4, 4), 1).save(made, format="GIF", transparency=1)
    _, kept = encoded(tmp_path, made.getvalue())
    with Image.open(io.BytesIO(kept)) as image:
        assert image.convert("RGBA").getpixel((0, 0))[3] == 0


@pytest.mark.parametrize(
    "content",
    [
        samples.bomb(),
        samples.picture(size=(90, 90))[:150],
        samples.HTML,
        samples.SVG,
        samples.picture("BMP"),
        samples.picture("TIFF"),
        b"",
    ],
    ids=["bomb", "cut off", "html", "svg", "bmp", "tiff", "empty"],
)
def test_what_cannot_be_read_as_a_picture_is_none(tmp_path, content):
    assert encoded(tmp_path, content) == (None, b"")


def test_the_pixels_of_all_frames_count(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "PIXELS_MAX", 8 * 8 * 3)
    assert encoded(tmp_path, samples.animation(frames=3))[0] == "image/gif"
    monkeypatch.setattr(pictures, "PIXELS_MAX", 8 * 8 * 3 - 1)
    assert encoded(tmp_path, samples.animation(frames=3))[0] is None


LARGE = (1100, 1000)


def received(tmp_path, content: bytes):
    """Writes an upload; returns its path, and the path for its picture."""
    folder = tmp_path / "incoming" / "one"
    folder.mkdir(parents=True)
    (folder / "received").write_bytes(content)
    return folder / "received", folder / "picture"


@pytest.mark.parametrize(
    ("content", "large"),
    [
        (samples.picture(size=LARGE), True),
        (samples.picture(size=(900, 1000)), False),
        (samples.picture("GIF", LARGE), True),
        (samples.animation(frames=3), False),
        (samples.picture() + bytes(300_000), True),
        (bytes(300_000), False),
        (samples.PDF, False),
        (samples.bomb(), False),
    ],
)
def test_what_takes_long_is_known_before_it_is_decoded(tmp_path, content, large):
    source, _ = received(tmp_path, content)
    assert pictures.is_large(source) == large


@contextmanager
def open_folder(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def niceness_of_children() -> list[int]:
    children = " ".join(path.read_text() for path in Path("/proc/self/task").glob("*/children"))
    return [os.getpriority(os.PRIO_PROCESS, int(pid)) for pid in children.split()]


@pytest.mark.slow
def test_a_process_of_low_priority_encodes_the_same_and_one_picture_after_the_other(tmp_path):
    """Slow, because it starts a process; in the gate the tests of `reencode` cover pictures."""
    source, target = received(tmp_path, samples.picture("JPEG", LARGE))
    assert pictures.encode_beside(source, target) == "image/jpeg"
    here = tmp_path / "here"
    pictures.reencode(source, here)
    assert target.read_bytes() == here.read_bytes()
    broken = samples.picture(size=LARGE)[:-200]
    source.write_bytes(broken)
    assert pictures.encode_beside(source, target) is None
    source.write_bytes(samples.picture(size=LARGE))
    with pytest.raises(FileNotFoundError):
        pictures.encode_beside(source, tmp_path / "nowhere" / "picture")
    target.unlink()
    with open_folder(tmp_path / "incoming") as folder:
        fcntl.flock(folder, fcntl.LOCK_EX)
        thread = threading.Thread(target=pictures.encode_beside, args=(source, target))
        thread.start()
        before = os.getpriority(os.PRIO_PROCESS, 0)
        niceness = min(19, before + pictures._NICENESS)
        wait_until(lambda: niceness_of_children() == [niceness], what="the process")
        stays(lambda: not target.exists(), 1, "it waits for its turn")
    thread.join(60)
    assert target.exists()
