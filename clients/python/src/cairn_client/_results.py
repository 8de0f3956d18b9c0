"""What calls give."""

from __future__ import annotations

from typing import NamedTuple, Optional


class Recorded(NamedTuple):
    """What became of an event that was to be recorded."""

    status: str
    """
    - ``queued``, ``duplicate``: the service has it on disk. ``duplicate``: it had an event of this key.
    - ``deferred``: no answer in time; the event goes on in the queue. Only with ``failure="open"``.
    - ``refused``, ``dropped``: it will not be recorded. Only with ``failure="open"``.
    """
    key: str
    """Its idempotency key; empty where it was refused before it had one."""
    id: Optional[str] = None
    """The event's id, where the service has it."""


class Enqueued(NamedTuple):
    """What became of an event that was enqueued."""

    status: str
    """
    - ``kept``: the queue has it; with a spool, it is on disk.
    - ``dropped``: there was no room, with ``when_full="drop"`` or ``failure="open"``.
    - ``deferred``: the queue has not confirmed in time that it has it. Only with ``failure="open"``.
    - ``refused``: it can never be sent. Only with ``failure="open"``.
    """
    key: str
    """Its idempotency key; empty where it was refused before it had one."""


class Counters(NamedTuple):
    """What has become of events since the client was made."""

    kept: int = 0
    """Events that came into the queue."""
    queued: int = 0
    """Events that the service has newly recorded, by ``record`` or from the queue."""
    duplicates: int = 0
    """Events that it had already."""
    refused: int = 0
    """Events that it will never take."""
    dropped: int = 0
    """Events for which there was no room or no disk, and those that were in memory when the client ended."""
    deferred: int = 0
    """Events of ``record`` that went on in the queue, because no answer came in time."""
    retries: int = 0
    """Requests that were to be repeated."""
    waiting: int = 0
    """Events that wait now."""
