"""Sends prepared events and says of each what became of it."""

from __future__ import annotations

import json
from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ._errors import CairnApiError, CairnConnectionError, CairnError, Refusal
from ._events import Outcome, PreparedEvent
from ._http import Call, Http
from ._limits import Cancel, Limits
from ._prepare import to_json

_PERMANENT = (400, 413, 422)
"""Statuses that say of a single event that it will never be taken."""
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


class _Item(NamedTuple):
    """An event in the body of a request, and what was left out of it."""

    event: PreparedEvent
    data: bytes
    dropped: Sequence[str]


# What is known of an item after a request: its outcome, its next form, or why it must be sent again.
_Result = Union[Outcome, _Item, CairnError]


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
    """A proxy's page says nothing of an event, except that it is too large for the proxy."""
    return (
        isinstance(error, CairnApiError)
        and error.status in _PERMANENT
        and (error.code != "unexpected_answer" or error.status == 413)
    )


def _may_be_one(error: CairnError) -> bool:
    """Whether it may be due to one event: anything but what the service says of itself, or of the key."""
    return not isinstance(error, CairnApiError) or error.code == "unexpected_answer" or error.status == 500


def _fails_whole(results: Sequence[_Result]) -> bool:
    return all(isinstance(result, CairnError) for result in results)


def _unexpected() -> CairnConnectionError:
    return CairnConnectionError("the answer does not say what became of each event")


def _result_of(item: _Item, said: Any, request_id: Optional[str]) -> _Result:
    """What an item of the service's answer says."""
    if not isinstance(said, dict):
        return _unexpected()
    status, found, error = said.get("status"), said.get("id"), said.get("error")
    if status in ("queued", "duplicate") and isinstance(found, str):
        warnings = _texts(said.get("warnings"))
        return Outcome(item.event.key, str(status), found, warnings, item.dropped)
    if status != "rejected" or not isinstance(error, str):
        return _unexpected()
    message = str(said.get("message"))
    if error in _PASSING:
        return CairnApiError(message, code=error, status=429, request_id=request_id, body=said)
    return _refused(item, _refusal_of(error, message, said), request_id)


class Sender:
    """Sends events to the service. Safe to share: it holds no state."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def send(
        self, events: Sequence[PreparedEvent], timeout: float, cancel: Cancel, divides: bool = False
    ) -> Sent:
        """
        Sends events in one request, or in more where the service refuses them as a whole: then in halves,
        until the culprit is alone. Members of this client's types that an older server does not know are left
        out, once. With ``divides``, a batch that fails for no known reason is divided, to find an event that
        may be the reason. Raises for nothing that the service or the network does; only ``ClosedError``, once
        ``cancel`` is set.
        """
        items = [_Item(event, event.data, ()) for event in events]
        outcomes: List[Outcome] = []
        failure: Optional[CairnError] = None
        for result in self._attempt(items, timeout, cancel, divides):
            if isinstance(result, Outcome):
                outcomes.append(result)
            elif isinstance(result, CairnError):
                failure = failure or result
        return Sent(outcomes, failure)

    def _attempt(
        self, items: Sequence[_Item], timeout: float, cancel: Cancel, divides: bool = False
    ) -> Sequence[_Result]:
        results = self._request(items, timeout, cancel, divides)
        again = [result for result in results if isinstance(result, _Item)]
        if not again:
            return results
        settled = [result for result in results if not isinstance(result, _Item)]
        return [*settled, *self._attempt(again, timeout, cancel)]

    def _request(
        self, items: Sequence[_Item], timeout: float, cancel: Cancel, divides: bool
    ) -> Sequence[_Result]:
        try:
            said, request_id = self._answer(items, Limits(timeout, cancel))
            return [_result_of(item, each, request_id) for item, each in zip(items, said)]
        except CairnError as error:
            if cancel.is_set:
                raise
            if divides and len(items) > 1 and not _is_permanent(error) and _may_be_one(error):
                return self._divided(items, timeout, cancel)
            return self._failed(items, error, timeout, cancel)

    def _answer(self, items: Sequence[_Item], limits: Limits) -> Tuple[List[Any], Optional[str]]:
        if len(items) == 1:
            call = Call("POST", "/api/v1/events", body=items[0].data, may_repeat=True)
        else:
            body = b'{"events":[' + b",".join(item.data for item in items) + b"]}"
            call = Call("POST", "/api/v1/events/batch", body=body, may_repeat=True)
        _, headers, answer = self._http.json(call, limits)
        said = answer.get("events") if isinstance(answer, dict) and len(items) > 1 else [answer]
        if not isinstance(said, list) or len(said) != len(items):
            raise _unexpected()
        return said, headers.get("x-request-id")

    def _failed(
        self, items: Sequence[_Item], error: CairnError, timeout: float, cancel: Cancel
    ) -> Sequence[_Result]:
        if not _is_permanent(error) or not isinstance(error, CairnApiError):
            return [error for _ in items]
        said = error.body.get("events")
        if isinstance(said, list) and len(said) == len(items) > 1:
            return [_result_of(item, each, error.request_id) for item, each in zip(items, said)]
        if len(items) == 1:
            return [_refused(items[0], _refusal_of(error.code, str(error), error.body), error.request_id)]
        half = (len(items) + 1) // 2
        before = self._attempt(items[:half], timeout, cancel)
        return [*before, *self._attempt(items[half:], timeout, cancel)]

    def _divided(self, items: Sequence[_Item], timeout: float, cancel: Cancel) -> Sequence[_Result]:
        """
        Sends a failing batch in halves, and the half that fails in halves again, as long as the other one does
        not: if both do, it is due to no single event.
        """
        half = (len(items) + 1) // 2
        first, second = items[:half], items[half:]
        before = self._attempt(first, timeout, cancel)
        after = self._attempt(second, timeout, cancel)
        if _fails_whole(before) == _fails_whole(after):
            return [*before, *after]
        failing, taken = (first, after) if _fails_whole(before) else (second, before)
        if len(failing) == 1:
            return [*before, *after]
        return [*taken, *self._divided(failing, timeout, cancel)]
