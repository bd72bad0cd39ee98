"""Encodes pictures again: a file served as a picture holds its pixels and nothing else.

Run as a program it encodes one picture, for `encode_beside`; so it imports nothing of Lineup.
"""

import fcntl
import json
import logging
import os
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from PIL import (  # noqa: F401, the plugins are loaded here and not within another thread
    GifImagePlugin,
    Image,
    ImageOps,
    ImageSequence,
    JpegImagePlugin,
    MpoImagePlugin,
    PngImagePlugin,
    WebPImagePlugin,
)

log = logging.getLogger(__name__)

#: Formats that are encoded again, by Pillow's names, with the media type of the result.
TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
#: The format in which some cameras write JPEG: several pictures, and the first one counts.
_SEVERAL_JPEG = "MPO"
#: Pixels of all frames together; decoding takes four bytes for each.
PIXELS_MAX = 40_000_000
_QUALITY = 88
_FRAME_MS = 100
#: Metadata of a picture that is kept: only colours; no texts, no location, no profile.
_KEPT_INFO = ("transparency",)

#: A picture of more bytes or pixels takes from one up to fifteen seconds of the processor.
_LARGE_BYTES = 256 * 1024
_LARGE_PIXELS = 1_000_000
#: Limits of a process that encodes a large picture: the lowest priority, seconds of the processor,
#: and bytes of memory (the largest pictures take 900 MB).
_NICENESS = 10
_PROCESSOR_SECONDS = 60
_MEMORY_BYTES = 1536 * 1024 * 1024
#: Longest time to encode a large picture, including the wait for its turn; the same as for uploads.
_SECONDS_MAX = 300
#: Environment variables that are passed on if they are set; the others hold secrets.
_ENVIRONMENT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR")

Image.MAX_IMAGE_PIXELS = PIXELS_MAX
Image.preinit()


def is_large(source: Path) -> bool:
    """Whether the file is a picture so large that `encode_beside` should encode it."""
    try:
        with Image.open(source, formats=tuple(TYPES)) as image:
            if source.stat().st_size > _LARGE_BYTES:
                return True
            return image.width * image.height * getattr(image, "n_frames", 1) > _LARGE_PIXELS
    except Exception:
        # `reencode` finds the reason.
        return False


def encode_beside(source: Path, target: Path) -> str | None:
    """Encodes like `reencode`, in a process of low priority; one picture of a folder at a time.

    Waits as a green thread. A picture that takes too much time or memory counts as none.
    """
    kept = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    command = [sys.executable, "-I", __file__, str(source), str(target)]
    try:
        run = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=kept,
            timeout=_SECONDS_MAX,
        )
    except subprocess.TimeoutExpired:
        return None
    if run.returncode:
        log.warning("a picture could not be encoded: its process ended with %d", run.returncode)
        return None
    outcome = json.loads(run.stdout)
    if outcome["errno"] is not None:
        raise OSError(outcome["errno"], os.strerror(outcome["errno"]))
    return outcome["type"]


def _main(source: Path, target: Path) -> None:
    """Encodes one picture; writes its type, or the number of an error, as JSON."""
    os.nice(_NICENESS)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (_PROCESSOR_SECONDS, _PROCESSOR_SECONDS))
    # Lock the folder of all files being received, which other processes of this machine share.
    descriptor = os.open(source.parent.parent, os.O_RDONLY)
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    type, number = None, None
    try:
        type = reencode(source, target)
    except OSError as error:
        number = error.errno
    print(json.dumps({"type": type, "errno": number}))


def reencode(source: Path, target: Path) -> str | None:
    """Writes a picture's pixels to `target`, upright; returns its type.

    Returns None if the file is no picture of these formats, cannot be read to its end, or has too
    many pixels: then the content of `target` is of no use. Raises OSError for faults of the disk.
    """
    try:
        with Image.open(source, formats=tuple(TYPES)) as image:
            return _encode(image, target)
    except Exception as error:
        # Decoders raise all kinds of errors for pictures made to break them. Only errors of the
        # operating system have a number.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        log.debug("no picture: %r", error)
        return None


def _encode(image: Image.Image, target: Path) -> str | None:
    format = "JPEG" if image.format == _SEVERAL_JPEG else str(image.format)
    type = TYPES[format]
    frames = 1 if format == "JPEG" else getattr(image, "n_frames", 1)
    if image.width * image.height * frames > PIXELS_MAX:
        return None
    if frames > 1:
        _save_animation(image, format, target)
    else:
        upright = _clean(ImageOps.exif_transpose(image))
        if format == "JPEG" and upright.mode not in ("L", "RGB"):
            upright = upright.convert("RGB")
        upright.save(target, format=format, **_options(format))
    return type


def _save_animation(image: Image.Image, format: str, target: Path) -> None:
    durations, frames = [], []
    loop = image.info.get("loop")
    for frame in ImageSequence.Iterator(image):
        durations.append(frame.info.get("duration", _FRAME_MS))
        frames.append(_clean(frame.copy()))
    options = _options(format) | ({} if loop is None else {"loop": loop})
    if format == "GIF":
        # Each frame is whole: the frame before it must not show through.
        options["disposal"] = 2
    first, *others = frames
    first.save(
        target, format=format, save_all=True, append_images=others, duration=durations, **options
    )


def _clean(image: Image.Image) -> Image.Image:
    image.info = {name: image.info[name] for name in _KEPT_INFO if name in image.info}
    return image


def _options(format: str) -> dict[str, Any]:
    return {"quality": _QUALITY} if format in ("JPEG", "WEBP") else {}


if __name__ == "__main__":
    _main(Path(sys.argv[1]), Path(sys.argv[2]))
