"""Sends audit events to Cairn and loses none."""

from ._aio import AsyncCairn
from ._client import Cairn
from ._drain import Batch
from ._errors import (
    CairnApiError,
    CairnConnectionError,
    CairnError,
    CairnTimeoutError,
    ClosedError,
    EventRefusedError,
    QueueFullError,
    Refusal,
)
from ._events import MemoryQueue, Outcome, PendingEvents, PreparedEvent, Report
from ._limits import Retry
from ._redact import REDACTED, redactor
from ._results import Counters, Enqueued, Recorded
from ._webhook import WebhookError, verify_webhook

__all__ = [
    "REDACTED",
    "AsyncCairn",
    "Batch",
    "Cairn",
    "CairnApiError",
    "CairnConnectionError",
    "CairnError",
    "CairnTimeoutError",
    "ClosedError",
    "Counters",
    "Enqueued",
    "EventRefusedError",
    "MemoryQueue",
    "Outcome",
    "PendingEvents",
    "PreparedEvent",
    "QueueFullError",
    "Recorded",
    "Refusal",
    "Report",
    "Retry",
    "WebhookError",
    "redactor",
    "verify_webhook",
]
