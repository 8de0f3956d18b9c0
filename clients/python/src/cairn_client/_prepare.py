"""From the event of a caller to the line that waits, is sent and is sent again, and never changes."""

from __future__ import annotations

import inspect
import json
import os
import time
from datetime import date, datetime, timezone
from decimal import Decimal
from enum import Enum
from typing import Any, Callable, Dict, Mapping, NoReturn, Optional
from uuid import UUID

from ._errors import CairnError, EventRefusedError, Refusal
from ._events import PreparedEvent, Report

MAX_EVENT_BYTES = 256 * 1024
"""Most bytes of one event, as the service takes it."""

Context = Callable[[], Optional[Mapping[str, Any]]]
"""Members that every event has which has none of its own, such as the actor of the running request."""


def harmless(context: Optional[Context], tell: Callable[[CairnError, Report], None]) -> Context:
    """A context that costs no event: where it raises or gives no mapping, its members are left out."""

    def around() -> Mapping[str, Any]:
        given: Any = None
        try:
            given = None if context is None else context()
            if given is not None and not isinstance(given, Mapping):
                raise TypeError(f"it gives {type(given).__name__}, and no mapping")
            return dict(given or {})
        except Exception as error:
            if inspect.iscoroutine(given):
                given.close()
            known = CairnError(f"the context failed: {type(error).__name__}: {error}")
            known.__cause__ = error
            tell(known, Report("fields"))
            return {}

    return around


def uuid7(millis: int) -> str:
    """A new UUIDv7 (RFC 9562) for a moment in milliseconds since 1970: 48 bits of time, 74 random bits."""
    random = int.from_bytes(os.urandom(10), "big")
    bits = (max(0, millis) & (1 << 48) - 1) << 80 | 7 << 76 | (random >> 64 & 0xFFF) << 64
    return str(UUID(int=bits | 2 << 62 | random & (1 << 62) - 1))


class NoFormError(TypeError):
    """A value that JSON has no form for; its text says no more of the value than its type."""


def rfc3339(moment: datetime) -> str:
    """A moment in UTC with milliseconds, as the service writes it."""
    if moment.tzinfo is None:
        raise NoFormError("a datetime has no time zone")
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _plain(value: Any) -> Any:
    """What JSON has no form for."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return rfc3339(value)
    if isinstance(value, (date, UUID, Decimal)):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise NoFormError(f"{type(value).__name__} has no form in JSON")


def _well_formed(text: str) -> str:
    """With U+FFFD for each half of a surrogate pair: a text that was cut is no reason to lose the event."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def to_json(value: Any) -> bytes:
    """JSON in one line, in UTF-8. Raises ``TypeError``, ``ValueError`` or ``RecursionError``."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _well_formed(text).encode()


def _refuse(field: str, message: str) -> NoReturn:
    text = f"{field} {message}"
    raise EventRefusedError(Refusal("validation_failed", text, [{"field": field, "message": message}]))


def _text_of(event: Mapping[str, Any], field: str) -> Optional[str]:
    """A member as text; ``None`` where it is none, or empty."""
    value = event.get(field)
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, UUID):
        value = str(value)
    return _well_formed(str.__str__(value)) if isinstance(value, str) and value else None


def _joined(around: Mapping[str, Any], event: Mapping[str, Any]) -> Dict[str, Any]:
    """An event over its context, which gives neither key nor time, and nothing of another's actor."""
    left_out = {"idempotency_key", "occurred_at"}
    if event.get("actor_id") is not None and _text_of(event, "actor_id") != _text_of(around, "actor_id"):
        left_out |= {"actor_name", "actor_type"}
    joined = {**{name: value for name, value in around.items() if name not in left_out}, **event}
    ours, theirs = event.get("metadata"), around.get("metadata")
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        joined["metadata"] = {**theirs, **ours}
    return joined


def _kept(whole: Mapping[str, Any], millis: int, made: str) -> Dict[str, Any]:
    """What makes the event this one: nothing that follows changes it."""
    kept: Dict[str, Any] = {"idempotency_key": made}
    if whole.get("idempotency_key") not in (None, ""):
        kept["idempotency_key"] = _text_of(whole, "idempotency_key")
    kept["occurred_at"] = whole.get("occurred_at")
    if kept["occurred_at"] is None:
        second = datetime.fromtimestamp(millis // 1000, timezone.utc)
        kept["occurred_at"] = rfc3339(second.replace(microsecond=millis % 1000 * 1000))
    for field in ("actor_id", "action"):
        kept[field] = _text_of(whole, field)
    for field in ("idempotency_key", "actor_id", "action"):
        if kept[field] is None:
            _refuse(field, "must be a text that is not empty")
    return kept


def _data_of(
    whole: Dict[str, Any], kept: Mapping[str, Any], redact: Optional[Callable[[Mapping[str, Any]], Any]]
) -> bytes:
    try:
        return to_json({**(whole if redact is None else redact(whole)), **kept})
    except NoFormError as error:
        why = str(error)
    except Exception:
        # Code of a value's own may have raised it, whose text may be what is to be redacted.
        why = "a cycle, a number or a name without a form in JSON, or code that raises"
    _refuse("event", f"has no JSON: {why}")


def prepare_event(
    event: Mapping[str, Any],
    context: Optional[Context] = None,
    redact: Optional[Callable[[Mapping[str, Any]], Any]] = None,
) -> PreparedEvent:
    """
    The event as it is sent. Its idempotency key and its ``occurred_at`` are set before anything else, unless
    it has them, so that they stay the same however often and however late it is sent; no context and no
    redaction changes them, nor the actor's id and the action. What the caller changes in its object
    afterwards changes nothing.

    Raises ``EventRefusedError`` for what the service would never take: no ``actor_id`` or ``action``, values
    without JSON, more than 256 KiB.
    """
    millis = time.time_ns() // 1_000_000
    made = uuid7(millis)
    if not isinstance(event, Mapping):
        _refuse("event", "must be an object")
    whole = _joined((context() if context is not None else None) or {}, event)
    kept = _kept(whole, millis, made)
    data = _data_of({**whole, **kept}, kept, redact)
    if len(data) > MAX_EVENT_BYTES:
        _refuse("event", f"has more than {MAX_EVENT_BYTES // 1024} KiB")
    return PreparedEvent(kept["idempotency_key"], data)
