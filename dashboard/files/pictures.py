"""Pictures, encoded anew: what is served as a picture holds its pixels and nothing else."""

import logging
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

#: Formats that are encoded anew, by Pillow's names, with the type of the result.
TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
#: How some cameras write JPEG: several pictures, of which the first counts.
_SEVERAL_JPEG = "MPO"
#: Pixels of all frames together; decoding takes four bytes for each.
PIXELS_MAX = 40_000_000
_QUALITY = 88
_FRAME_MS = 100
#: What a picture says of itself and is kept: of colours, no texts, no place, no profile.
_KEPT_INFO = ("transparency",)

Image.MAX_IMAGE_PIXELS = PIXELS_MAX
Image.preinit()


def encode_anew(source: Path, target: Path) -> str | None:
    """Writes a picture's pixels to `target`, upright; returns its type.

    None where it is no picture of these formats, cannot be read to its end, or has too many pixels:
    then `target` holds nothing of use. Raises OSError for faults of the disk.
    """
    try:
        with Image.open(source, formats=tuple(TYPES)) as image:
            return _encode(image, target)
    except Exception as error:
        # Decoders raise all kinds of errors for pictures that are made to break them; those of the
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
        # Each frame is whole: nothing of the one before it is to show through.
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
