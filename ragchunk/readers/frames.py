"""Messages on a pipe: an object that JSON can hold, and bytes beside it."""

from __future__ import annotations

import json
import struct
from typing import IO, Any

_LENGTHS = struct.Struct(">QQ")


def send(stream: IO[bytes], head: dict[str, Any], body: bytes = b"") -> None:
    """Raises OSError where nobody reads any more."""
    packed = json.dumps(head).encode()
    stream.write(_LENGTHS.pack(len(packed), len(body)))
    stream.write(packed)
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """The next message, or None where the other side has ended, in the middle of one too."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head_length, body_length = _LENGTHS.unpack(lengths)
    head, body = stream.read(head_length), stream.read(body_length)
    return (json.loads(head), body) if len(body) == body_length and head else None
