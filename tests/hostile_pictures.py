"""Picture files that were damaged at random, and small files that are huge once decoded."""

import io
import random
import struct
import zlib
from collections.abc import Iterator

import numpy as np
from PIL import Image, ImageDraw

FORMATS = ("PNG", "JPEG", "WEBP")
SIDES = (50_000, 65_535, 2**31 - 1)


def written(kind: str, size: tuple[int, int] = (240, 60), mode: str = "RGB") -> bytes:
    """A picture of some digits."""
    image = Image.new("L", size, 255)
    ImageDraw.Draw(image).text((10, 10), "1234567", fill=0, font_size=min(size) // 2)
    file = io.BytesIO()
    image.convert(mode).save(file, format=kind)
    return file.getvalue()


def mutated(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """So many pictures of each format with flipped, lost, doubled, moved or foreign bytes."""
    dice = random.Random(seed)
    seeds = [
        written(kind, mode=mode) for kind in FORMATS for mode in (("L", "RGB") if kind == "JPEG" else ("RGB", "RGBA"))
    ]
    for number in range(count):
        data = bytearray(seeds[number % len(seeds)])
        for _ in range(dice.choice((1, 1, 2, 8))):
            if not data:
                break
            at, size = dice.randrange(len(data)), dice.choice((1, 2, 4, 40))
            way = dice.randrange(6)
            if way == 0:
                data[at] ^= 1 << dice.randrange(8)
            elif way == 1:
                del data[at : at + size]
            elif way == 2:
                data[at:at] = data[at : at + size]
            elif way == 3:
                data[at : at + size] = dice.choice((b"\0", b"\xff", b"\x7f")) * size
            elif way == 4:
                data[at : at + 4] = struct.pack(">I", dice.choice((0, 1, 2**16, 2**31 - 1, 2**32 - 1)))
            else:
                data = data[: at + 1]
        yield f"{number}", bytes(data)


def bombs() -> dict[str, bytes]:
    """Small files with many pixels, many frames or much text in them."""
    found = {}
    for side in SIDES:
        for bits, colour in ((1, 0), (8, 0), (8, 2), (8, 6), (16, 0), (16, 6), (8, 3)):
            found[f"PNG {side} {bits} {colour}"] = png(side, side, bits, colour, b"\0" * 10**6)
    found["PNG long"] = png(10**8, 1, 1, 0, b"\0" * 10**6)
    found["PNG high"] = png(1, 10**8, 1, 0, b"\0" * 10**6)
    found["PNG no pixels"] = png(0, 0, 8, 0, b"")
    found["PNG large"] = whole(4000, 4000, 8, 6)
    found["PNG 16 bits"] = whole(4000, 4000, 16, 0)
    found["PNG as large as may be"] = whole(2000, 2000, 8, 6)
    found["PNG 16 bits as large as may be"] = whole(2000, 2000, 16, 0)
    text = b"a\0\0" + zlib.compress(b"x" * 50_000_000)
    found["PNG much text"] = png(60, 15, 8, 0, b"\0" * 61 * 15, (b"zTXt", text))
    found["PNG much profile"] = png(60, 15, 8, 0, b"\0" * 61 * 15, (b"iCCP", text))
    frames = [Image.new("L", (600, 150), shade) for shade in range(200)]
    for kind in ("PNG", "WEBP"):
        file = io.BytesIO()
        frames[0].save(file, format=kind, save_all=True, append_images=frames[1:])
        found[f"{kind} frames"] = file.getvalue()
    for kind in ("JPEG", "WEBP"):
        found[f"{kind} as large as may be"] = written(kind, (2000, 2000))
        found[f"{kind} too large"] = written(kind, (4000, 4000))
    file = io.BytesIO()
    Image.new("RGB", (2000, 2000)).save(file, format="JPEG", progressive=True, subsampling=0)
    found["JPEG in many scans"] = file.getvalue()
    return found


def whole(width: int, height: int, bits: int, colour: int) -> bytes:
    """A PNG with all its pixels, nearly all 0."""
    line = 1 + width * bits * {0: 1, 2: 3, 3: 1, 6: 4}[colour] // 8
    data = np.zeros((height, line), np.uint8)
    data[height // 3 : height // 2, 1 + line // 3 : line // 2] = 255
    return png(width, height, bits, colour, data.tobytes())


def png(width: int, height: int, bits: int, colour: int, data: bytes, *more: tuple[bytes, bytes]) -> bytes:
    """A PNG file of these parts, right or wrong."""
    head = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    chunks = [(b"IHDR", head), *more, (b"IDAT", zlib.compress(data)), (b"IEND", b"")]
    parts = [
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
