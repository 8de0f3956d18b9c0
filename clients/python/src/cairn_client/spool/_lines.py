"""
The lines of a segment: `<CRC-32 of the text, 8 hex digits> <text>\\n`. The text is JSON in one line: an
object is an event, an array of strings is a mark, which names the events earlier in the file that are
settled. A line that is damaged costs itself alone.
"""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, NamedTuple, Sequence
from zlib import crc32

from .._events import PreparedEvent

_SHAPE = re.compile(rb"([0-9a-f]{8}) (.*)", re.DOTALL)


class SegmentContents(NamedTuple):
    """What a segment holds."""

    waiting: Sequence[PreparedEvent]
    """The events that are not settled, oldest first."""
    damaged: Sequence[str]
    """Lines that were written whole and cannot be read any more."""
    whole_length: int
    """Bytes up to the last newline; what follows was never confirmed."""


def _line(text: bytes) -> bytes:
    return b"%08x %s\n" % (crc32(text), text)


def event_line(event: PreparedEvent) -> bytes:
    return _line(event.data)


def mark_line(keys: Sequence[str]) -> bytes:
    # As ASCII: a key may be half of a surrogate pair.
    return _line(json.dumps(keys, separators=(",", ":")).encode())


def _value_of(raw: bytes) -> Any:
    """The JSON of a line; `None` where it is not what was written."""
    match = _SHAPE.fullmatch(raw)
    if match is None or crc32(match.group(2)) != int(match.group(1), 16):
        return None
    try:
        return json.loads(match.group(2).decode("utf-8"))
    except (ValueError, RecursionError):
        return None


def read_segment(data: bytes) -> SegmentContents:
    """Reads a segment in time linear in its length."""
    order: List[PreparedEvent] = []
    waiting: Dict[str, List[int]] = {}
    damaged: List[str] = []
    whole_length = data.rfind(b"\n") + 1
    for raw in data[:whole_length].split(b"\n")[:-1]:
        if raw == b"":
            continue
        value = _value_of(raw)
        key = value.get("idempotency_key") if isinstance(value, dict) else None
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            for settled in value:
                waiting.pop(settled, None)
        elif isinstance(key, str):
            waiting.setdefault(key, []).append(len(order))
            order.append(PreparedEvent(key, raw[9:]))
        else:
            damaged.append(raw.decode("utf-8", "replace"))
    left = sorted(at for places in waiting.values() for at in places)
    return SegmentContents([order[at] for at in left], damaged, whole_length)
