"""Contents of files, as senders may make them."""

import io
import struct
import zlib
from typing import Any

from PIL import Image

PLACE = b"a secret place"
HTML = b"<!doctype html><script>alert(1)</script>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n%%EOF\n"
ZIP = b"PK\x05\x06" + bytes(18)


def picture(format: str = "PNG", size: tuple[int, int] = (4, 3), **options: Any) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", size, "teal").save(made, format=format, **options)
    return made.getvalue()


def photo() -> bytes:
    """A JPEG that lies on its side and says where it was taken, with HTML after its end."""
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = PLACE.decode()
    exif.get_ifd(0x8825)[0x001D] = "2026:11:20"
    return picture("JPEG", (40, 20), exif=exif, comment=PLACE) + HTML


def animation(format: str = "GIF", frames: int = 3) -> bytes:
    made = io.BytesIO()
    first, *others = [Image.new("RGB", (8, 8), (80 * at, 0, 0)) for at in range(frames)]
    first.save(made, format=format, save_all=True, append_images=others, duration=70, loop=0)
    return made.getvalue()


def bomb(side: int = 50_000) -> bytes:
    """A PNG of a few hundred bytes; its header declares billions of pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + checksum

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    data = zlib.compress(bytes(100_000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
