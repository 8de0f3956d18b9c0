"""From the event of a caller to the line that waits, is sent and is sent again, and never changes."""

from __future__ import annotations

import json
import os
import time
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any, Callable, Dict, Mapping, NoReturn, Optional
from uuid import UUID

from ._errors import EventRefusedError, Refusal
from ._events import PreparedEvent

MAX_EVENT_BYTES = 256 * 1024
"""Most bytes of one event, as the service takes it."""

Context = Callable[[], Optional[Mapping[str, Any]]]
"""Members that every event has which has none of its own, such as the actor of the running request."""


def uuid7(millis: int) -> str:
    """A new UUIDv7 (RFC 9562) for a moment in milliseconds since 1970: 48 bits of time, 74 random bits."""
    random = int.from_bytes(os.urandom(10), "big")
    bits = (max(0, millis) & (1 << 48) - 1) << 80 | 7 << 76 | (random >> 64 & 0xFFF) << 64
    return str(UUID(int=bits | 2 << 62 | random & (1 << 62) - 1))


def rfc3339(moment: datetime) -> str:
    """A moment in UTC with milliseconds, as the service writes it."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone")
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _plain(value: Any) -> Any:
    """What JSON has no form for."""
    if isinstance(value, datetime):
        return rfc3339(value)
    if isinstance(value, (date, UUID, Decimal)):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def to_json(value: Any) -> bytes:
    """JSON in one line, in UTF-8. Raises ``TypeError``, ``ValueError`` or ``RecursionError``."""

    def dumps(ascii_only: bool) -> bytes:
        text = json.dumps(
            value, ensure_ascii=ascii_only, allow_nan=False, separators=(",", ":"), default=_plain
        )
        return text.encode()

    try:
        return dumps(False)
    except UnicodeEncodeError:
        # Half of a surrogate pair has no UTF-8.
        return dumps(True)


def _refuse(field: str, message: str) -> NoReturn:
    text = f"{field} {message}"
    raise EventRefusedError(Refusal("validation_failed", text, [{"field": field, "message": message}]))


def prepare_event(
    event: Mapping[str, Any],
    context: Optional[Context] = None,
    redact: Optional[Callable[[Mapping[str, Any]], Any]] = None,
) -> PreparedEvent:
    """
    The event as it is sent. Its idempotency key and its ``occurred_at`` are set before anything else, unless
    it has them, so that they stay the same however often and however late it is sent. What the caller changes
    in its object afterwards changes nothing.

    Raises ``EventRefusedError`` for what the service would never take: no ``actor_id`` or ``action``, values
    without JSON, more than 256 KiB.
    """
    millis = time.time_ns() // 1_000_000
    made = uuid7(millis)
    if not isinstance(event, Mapping):
        _refuse("event", "must be an object")
    around = context() if context is not None else None
    joined: Dict[str, Any] = {**(around or {}), **event}
    metadata = event.get("metadata")
    if around and isinstance(metadata, Mapping) and isinstance(around.get("metadata"), Mapping):
        joined["metadata"] = {**around["metadata"], **metadata}
    for field in ("actor_id", "action"):
        if not (isinstance(joined.get(field), str) and joined[field]):
            _refuse(field, "is missing: it must be a text that is not empty")
    given = joined.get("idempotency_key")
    key = given if isinstance(given, str) and given else made
    joined["idempotency_key"] = key
    if joined.get("occurred_at") is None:
        second = datetime.fromtimestamp(millis // 1000, timezone.utc)
        joined["occurred_at"] = rfc3339(second.replace(microsecond=millis % 1000 * 1000))
    try:
        data = to_json(joined if redact is None else redact(joined))
    except (TypeError, ValueError, RecursionError) as error:
        _refuse("event", f"has no JSON: {error}")
    if len(data) > MAX_EVENT_BYTES:
        _refuse("event", f"has more than {MAX_EVENT_BYTES // 1024} KiB")
    return PreparedEvent(key, data)
