"""What every call of this package may raise."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence


class CairnError(Exception):
    """What every error of this package is."""

    key: Optional[str] = None
    """The idempotency key of the event that the call was about, with which a later try cannot double it."""


class CairnApiError(CairnError):
    """The service answered with an error."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
        body: Optional[Mapping[str, Any]] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        """The service's code, such as ``validation_failed``; ``unexpected_answer`` for a body not its own."""
        self.status = status
        """The HTTP status."""
        self.request_id = request_id
        """The id of the request in the service's log; ``None`` where the answer has none."""
        self.retry_after = retry_after
        """In how many seconds to try again, where the service says so."""
        self.body: Mapping[str, Any] = {} if body is None else body
        """The whole body of the answer, where it is a JSON object."""


class CairnConnectionError(CairnError):
    """No answer came: the connection failed, was cut, or the answer could not be read."""


class CairnTimeoutError(CairnError):
    """The time limit passed. Whether the service has what was sent is not known."""


class EventRefusedError(CairnError):
    """An event that can never be taken: found so by this client, or refused by the service."""

    def __init__(self, refusal: "Refusal") -> None:
        super().__init__(refusal.message)
        self.refusal = refusal
        """Why."""


class QueueFullError(CairnError):
    """There is no room for another event that waits."""


class ClosedError(CairnError):
    """The client, spool or relay was closed."""


class Refusal:
    """Why the service will never take an event."""

    __slots__ = ("error", "message", "errors", "unknown_fields")

    def __init__(
        self,
        error: str,
        message: str,
        errors: Optional[Sequence[Mapping[str, str]]] = None,
        unknown_fields: Sequence[str] = (),
    ) -> None:
        self.error = error
        """The service's error code, such as ``validation_failed``."""
        self.message = message
        """What is wrong, for a person."""
        self.errors: Optional[List[Mapping[str, str]]] = None if errors is None else list(errors)
        """The wrong values, by their JSON paths or parameters: ``field`` and ``message`` each."""
        self.unknown_fields: List[str] = list(unknown_fields)
        """Members that the service does not know, by their JSON paths."""

    def as_json(self) -> Dict[str, Any]:
        """The refusal as dead letters have it."""
        made: Dict[str, Any] = {"error": self.error, "message": self.message}
        if self.errors is not None:
            made["errors"] = self.errors
        if self.unknown_fields:
            made["unknown_fields"] = self.unknown_fields
        return made

    def __repr__(self) -> str:
        return f"Refusal({self.error!r}, {self.message!r})"
