"""Sends prepared events and says of each what became of it."""

from __future__ import annotations

import json
import time
from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ._errors import CairnApiError, CairnConnectionError, CairnError, CairnTimeoutError, Refusal
from ._events import Outcome, PreparedEvent
from ._http import Call, Http
from ._limits import Cancel, Limits
from ._prepare import to_json

_PERMANENT = ("malformed_json", "invalid_parameter", "validation_failed")
"""The service's codes that say of a single event that it will never be taken."""
_PASSING = ("quota_exceeded", "rate_limited", "unavailable", "internal")
"""Codes of an item of a batch that may be taken later."""
_DISPENSABLE = frozenset(
    (
        "actor_name",
        "actor_type",
        "action_category",
        "resource",
        "resource_id",
        "resource_name",
        "metadata",
        "targets",
        "session_id",
        "tenant_id",
        "version",
        "ip_address",
    )
)
"""
Members that this client's types have and that an older server may not know. Without the others an event would
not be itself.
"""


class Sent(NamedTuple):
    """What one sending came to."""

    outcomes: Sequence[Outcome]
    """Of the events whose fate is known."""
    error: Optional[CairnError]
    """Why the others must be sent again; ``None`` where there are none."""
    failing: Sequence[PreparedEvent] = ()
    """Those on which the service failed in an answer that says what became of others: it is these events."""


class _Item(NamedTuple):
    """An event in the body of a request, and what was left out of it."""

    event: PreparedEvent
    data: bytes
    dropped: Sequence[str]


class _Failure(NamedTuple):
    """Why an item must be sent again."""

    item: _Item
    error: CairnError
    is_its_own: bool = False
    """Whether the answer says so of this item."""


# What is known of an item after a request: its outcome, its next form, or why it must be sent again.
_Result = Union[Outcome, _Item, _Failure]


class _Sending(NamedTuple):
    """What limits a sending."""

    timeout: float
    cancel: Cancel
    until: float

    def limits(self) -> Limits:
        left = self.until - time.monotonic()
        if left <= 0:
            raise CairnTimeoutError("not sent in time")
        return Limits(min(self.timeout, left), self.cancel)


def _texts(value: Any) -> List[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _refusal_of(error: str, message: str, body: Mapping[str, Any]) -> Refusal:
    errors = body.get("errors")
    found = errors if isinstance(errors, list) else None
    return Refusal(error, message, found, _texts(body.get("unknown_fields")))


def _without(item: _Item, refusal: Refusal) -> Optional[_Item]:
    """The item without members that the server does not know; ``None`` where more than that is wrong."""
    names = refusal.unknown_fields
    if not names or item.dropped or refusal.errors or not _DISPENSABLE.issuperset(names):
        return None
    body = json.loads(item.data)
    for name in names:
        body.pop(name, None)
    return _Item(item.event, to_json(body), names)


def _refused(item: _Item, refusal: Refusal, request_id: Optional[str]) -> _Result:
    again = _without(item, refusal)
    if again is not None:
        return again
    return Outcome(item.event.key, "refused", refusal=refusal, request_id=request_id)


def _is_permanent(error: CairnError) -> bool:
    """What something between answers says nothing of an event, except that it is too large for it."""
    return isinstance(error, CairnApiError) and (error.status == 413 or error.code in _PERMANENT)


def may_be_one(error: CairnError) -> bool:
    """Whether it may be due to one event: anything but what the service says of the key, limits or itself."""
    return (
        not isinstance(error, CairnApiError)
        or error.code == "unexpected_answer"
        or error.status not in (401, 403, 429, 503)
    )


def _unexpected() -> CairnConnectionError:
    return CairnConnectionError("the answer does not say what became of each event")


def _result_of(item: _Item, said: Any, request_id: Optional[str]) -> _Result:
    """What an item of the service's answer says."""
    if not isinstance(said, dict):
        return _Failure(item, _unexpected(), True)
    status, found, error = said.get("status"), said.get("id"), said.get("error")
    if status in ("queued", "duplicate") and isinstance(found, str):
        warnings = _texts(said.get("warnings"))
        return Outcome(item.event.key, str(status), found, warnings, item.dropped)
    if status != "rejected" or not isinstance(error, str):
        return _Failure(item, _unexpected(), True)
    message = str(said.get("message"))
    if error in _PASSING:
        status = 500 if error == "internal" else 429
        passing = CairnApiError(message, code=error, status=status, request_id=request_id, body=said)
        return _Failure(item, passing, True)
    return _refused(item, _refusal_of(error, message, said), request_id)


class Sender:
    """Sends events to the service. Safe to share: it holds no state."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def send(
        self,
        events: Sequence[PreparedEvent],
        timeout: float,
        cancel: Cancel,
        until: float = float("inf"),
    ) -> Sent:
        """
        Sends events in one request, or in more where the service refuses them as a whole: then in halves,
        until the culprit is alone; none is begun at ``until`` or later. Members of this client's types that
        an older server does not know are left out, once. Raises for nothing that the service or the network
        does; only ``ClosedError``, once ``cancel`` is set.
        """
        items = [_Item(event, event.data, ()) for event in events]
        results = self._attempt(items, _Sending(timeout, cancel, until))
        outcomes = [result for result in results if isinstance(result, Outcome)]
        failures = [result for result in results if isinstance(result, _Failure)]
        own = [each for each in failures if outcomes and each.is_its_own and may_be_one(each.error)]
        error = failures[0].error if failures else None
        return Sent(outcomes, error, [each.item.event for each in own])

    def _attempt(self, items: Sequence[_Item], sending: _Sending) -> Sequence[_Result]:
        results = self._request(items, sending)
        again = [result for result in results if isinstance(result, _Item)]
        if not again:
            return results
        settled = [result for result in results if not isinstance(result, _Item)]
        return [*settled, *self._attempt(again, sending)]

    def _request(self, items: Sequence[_Item], sending: _Sending) -> Sequence[_Result]:
        try:
            said, request_id = self._answer(items, sending.limits())
            return [_result_of(item, each, request_id) for item, each in zip(items, said)]
        except CairnError as error:
            if sending.cancel.is_set:
                raise
            return self._failed(items, error, sending)

    def _answer(self, items: Sequence[_Item], limits: Limits) -> Tuple[List[Any], Optional[str]]:
        if len(items) == 1:
            call = Call("POST", "/api/v1/events", body=items[0].data, may_repeat=True)
        else:
            body = b'{"events":[' + b",".join(item.data for item in items) + b"]}"
            call = Call("POST", "/api/v1/events/batch", body=body, may_repeat=True)
        _, headers, given = self._http.json(call, limits)
        answer = self._http.masked(given)
        said = answer.get("events") if isinstance(answer, dict) and len(items) > 1 else [answer]
        if not isinstance(said, list) or len(said) != len(items):
            raise _unexpected()
        return said, self._http.request_id(headers)

    def _failed(self, items: Sequence[_Item], error: CairnError, sending: _Sending) -> Sequence[_Result]:
        if not _is_permanent(error) or not isinstance(error, CairnApiError):
            return [_Failure(item, error) for item in items]
        said = error.body.get("events")
        if isinstance(said, list) and len(said) == len(items) > 1:
            return [_result_of(item, each, error.request_id) for item, each in zip(items, said)]
        if len(items) == 1:
            return [_refused(items[0], _refusal_of(error.code, str(error), error.body), error.request_id)]
        half = (len(items) + 1) // 2
        before = self._attempt(items[:half], sending)
        return [*before, *self._attempt(items[half:], sending)]
