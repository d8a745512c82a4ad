"""The file from which an unfinished run goes on: a line of JSON with checksums, then tensors from `torch.save`.

The line can be read without PyTorch.
"""

import io
import json
import zipfile
from typing import Any

from visarith.errors import whole
from visarith.files import MB, digest, parsed, signed

MARK = b"visarith state 1\n"
OLDER = b"PK"  # tensors alone, as older versions wrote them
LONGEST = MB  # bytes of the line


def packed(state: dict[str, Any], files: dict[str, str]) -> bytes:
    """The file of a state; `files` has the SHA-256 of the files that a resumed run reads."""
    import torch

    content = io.BytesIO()
    torch.save(state, content)
    header = {"epochs": state["epochs_done"], "content": digest(content.getvalue()), "files": files}
    return MARK + json.dumps(signed(header)).encode() + b"\n" + content.getvalue()


def opened(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The header and the content; ValueError or KeyError if they are not what was written."""
    if not data.startswith(MARK):
        raise ValueError("no state")
    line, _, content = data.removeprefix(MARK).partition(b"\n")
    header = parsed(line[:LONGEST])
    whole("epochs", header["epochs"], 1)
    if signed(header) != header or not isinstance(header["files"], dict):
        raise ValueError("another SHA-256")
    return header, content


def unpacked(data: bytes) -> dict[str, Any]:
    """The state; an exception of some kind if it is not what was written."""
    import torch

    header, content = opened(data)
    if digest(content) != header["content"]:
        raise ValueError("another SHA-256")
    with zipfile.ZipFile(io.BytesIO(content)) as parts:  # as torch.save writes them: there is nothing to inflate
        if any(part.compress_type != zipfile.ZIP_STORED for part in parts.infolist()):
            raise ValueError("compressed")
    state = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    if not isinstance(state, dict):
        raise ValueError("no state")
    return state
