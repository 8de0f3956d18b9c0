"""Events on their way: what waits, what became of it, and where it waits."""

from __future__ import annotations

import inspect
import threading
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Mapping, NamedTuple, Optional, Protocol, Sequence

from ._bell import Room
from ._errors import CairnError, ClosedError, QueueFullError, Refusal
from ._tally import Sum


class PreparedEvent(NamedTuple):
    """An event that waits to be sent."""

    key: str
    """Its idempotency key, which is in ``data`` too."""
    data: bytes
    """The whole body as JSON in UTF-8, one line, with its key and its ``occurred_at``. It never changes."""


class Outcome(NamedTuple):
    """What became of an event that was sent."""

    key: str
    status: str
    """``queued``; ``duplicate``: the service had an event with this key already; ``refused``."""
    id: Optional[str] = None
    """The event's id; of the first event, for a duplicate; ``None`` for a refused one."""
    warnings: Sequence[str] = ()
    """What the service left out of it, where the workspace only warns of unknown members."""
    dropped_fields: Sequence[str] = ()
    """Members that this client knows and the service does not: left out, once, so that it was taken."""
    refusal: Optional[Refusal] = None
    """Why it was refused."""
    request_id: Optional[str] = None
    """The id of the request that was refused, for the service's log."""


class Report(NamedTuple):
    """The circumstances of a reported error."""

    kind: str
    """
    - ``refused``: events that will never be recorded; where the queue keeps dead letters, they are there.
    - ``dropped``: events for which there was no room or no disk.
    - ``deferred``: events that were not recorded in time and go on in the queue.
    - ``retry``: events that are sent again later.
    - ``fields``: members that the service does not know, without which the events were recorded.
    - ``queue``: the queue itself failed, such as a spool whose disk is gone.
    """
    events: Sequence[PreparedEvent] = ()
    """The events; empty where it is about none in particular."""
    outcomes: Sequence[Outcome] = ()
    """What the service said of them, for ``refused`` and ``fields``."""


OnError = Callable[[CairnError, Report], Any]
"""Takes reports, in a thread of the client. What it raises is ignored."""


Late = Callable[[Optional[CairnError]], None]
"""Takes what became of an event whose call was over: ``None`` where it is kept, else why it is not."""


class PendingEvents(Protocol):
    """
    Where events wait until the service has them: memory, a spool, an outbox. One drain reads it, in one
    thread: it takes events, sends them, and settles or releases them, a few only after it took others.
    """

    def add(self, event: PreparedEvent, timeout: float, late: Optional[Late] = None) -> None:
        """
        Keeps an event, and returns once it is kept: in a spool, once it is on disk. Raises
        ``QueueFullError`` where there is no room, ``CairnTimeoutError`` where that is not known after
        ``timeout`` seconds, and another error where it could not be kept; then it is not there. ``late``
        hears, once and in another thread, what became of it where that was not known in time.
        """

    def room(self, timeout: float) -> bool:
        """Waits until there may be room again, for at most ``timeout`` seconds. Whether there may be."""

    def take(self, count: int, size: int) -> Sequence[PreparedEvent]:
        """
        The oldest events that wait and are not taken: at most ``count``, and ``size`` bytes unless the first
        is larger.
        """

    def settle(self, outcomes: Sequence[Outcome]) -> None:
        """Removes events that were taken. Refused ones go to the dead letters first, where there are any."""

    def release(self, events: Sequence[PreparedEvent]) -> None:
        """Gives events back that were taken: they wait in their old places."""

    def size(self) -> int:
        """How many events wait, as far as this process knows; taken ones count until they are settled."""

    def watch(self, listener: Callable[[], None]) -> None:
        """Calls ``listener`` when events came that nobody added here, such as those of another process."""

    def close(self) -> None:
        """Ends; what waits stays where it is."""

    def after_fork(self) -> None:
        """In a child of a fork: lets go of what waits, which the parent sends, and of the parent's locks."""


class MemoryQueue:
    """
    Events that wait in memory, and are gone with the process. Where threads add at once, each may find room
    for one more. It has no lock: whatever interrupts a thread may add, flush or raise wherever it is in here.
    """

    def __init__(self, events: int = 10_000, size: int = 64 * 1024 * 1024) -> None:
        """``events``: most events that wait; ``size``: most bytes of them."""
        self._most = events
        self._most_bytes = size
        self.after_fork()

    def after_fork(self) -> None:
        # What was added since the last look, and the bytes of all that ever were.
        self._added: Deque[PreparedEvent] = deque()
        self._bytes_in = Sum()
        # All that follows is that of the one thread that takes.
        self._waiting: Dict[int, PreparedEvent] = {}
        # Those that are taken, by their keys.
        self._taken: Dict[str, int] = {}
        self._next = 0
        self._bytes_out = 0
        self._closed = False
        self._room = Room()

    def add(self, event: PreparedEvent, timeout: float, late: Optional[Late] = None) -> None:
        size = len(event.data)
        if not self._closed and not self._has_room(size):
            self._room.is_full = True
            # Perhaps some was made just then.
            if not self._has_room(size):
                raise QueueFullError(f"{self.size()} events wait: there is no room for another")
        self._bytes_in.add(size)
        self._added.append(event)
        if self._closed:
            try:
                self._added.remove(event)
            except ValueError:
                # It was taken before the end.
                return
            raise ClosedError("the client is closed")

    def _has_room(self, size: int) -> bool:
        waiting = self._bytes_in.read() - self._bytes_out
        return self.size() < self._most and waiting + size <= self._most_bytes

    def _enter(self) -> None:
        while self._added:
            # At each step it is in one of them, or in both: then it is sent twice, with its key.
            self._waiting[self._next] = self._added[0]
            self._next += 1
            self._added.popleft()

    def room(self, timeout: float) -> bool:
        return self._room.wait(timeout)

    def take(self, count: int, size: int) -> Sequence[PreparedEvent]:
        found: List[PreparedEvent] = []
        self._enter()
        for number, event in self._waiting.items():
            # Of two events with one key the second waits: its fate may be another.
            if event.key in self._taken:
                continue
            size -= len(event.data)
            if found and (len(found) >= count or size < 0):
                break
            found.append(event)
            self._taken[event.key] = number
        return found

    def settle(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            event = self._waiting.pop(self._taken.pop(outcome.key, -1), None)
            self._bytes_out += 0 if event is None else len(event.data)
        self._room.make(self._most - self.size())

    def release(self, events: Sequence[PreparedEvent]) -> None:
        for event in events:
            self._taken.pop(event.key, None)

    def size(self) -> int:
        return len(self._waiting) + len(self._added)

    def watch(self, listener: Callable[[], None]) -> None:
        pass

    def close(self) -> None:
        self._closed = True
        self._room.end()


def reporter(on_error: Optional[OnError]) -> Callable[[CairnError, Report], None]:
    """
    Reports to an application, whose failures are its own: they stop no events, and no thread of the client.
    Raises ``TypeError`` for a function that is ``async``: nobody would await what it gives.
    """
    if inspect.iscoroutinefunction(on_error):
        raise TypeError("on_error must be a function that is not async: it is called in a thread of the client")
    log = console_reports()
    tell = log if on_error is None else on_error

    def report(error: CairnError, about: Report) -> None:
        try:
            given = tell(error, about)
            if inspect.iscoroutine(given):
                given.close()
                log(error, about)
        except Exception:
            pass
        except BaseException:
            # Such as `sys.exit()`, which ends the thread that it is called in, and an interrupt from outside.
            if threading.current_thread() is threading.main_thread():
                raise

    return report


def console_reports() -> OnError:
    """A report for an application that has no ``on_error``: a line a minute for each kind, to the log."""
    import logging

    log = logging.getLogger("cairn_client")
    last: Dict[str, float] = {}

    def report(error: CairnError, about: Report) -> None:
        now = time.monotonic()
        if now - last.get(about.kind, float("-inf")) < 60:
            return
        last[about.kind] = now
        log.error("%s: %s (%d events)", about.kind, error, len(about.events))

    return report


