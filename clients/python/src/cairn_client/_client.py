"""The client."""

from __future__ import annotations

import ssl
import threading
import time
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple

from ._bell import clamped
from ._calls import Caller
from ._drain import Batch, Drain
from ._endpoints import Endpoints
from ._ends import at_exit, ended, on_sigterm, outlive_forks
from ._errors import (
    CairnApiError,
    CairnError,
    CairnTimeoutError,
    ClosedError,
    EventRefusedError,
    QueueFullError,
)
from ._events import MemoryQueue, OnError, Outcome, PendingEvents, PreparedEvent, Report, reporter
from ._http import Http
from ._limits import Cancel, Limits, Retry, backoff, one_of, seconds_of
from ._prepare import Context, harmless, prepare_event
from ._redact import SecretPath, redactor
from ._results import Counters, Enqueued, Recorded
from ._sender import Sender
from ._tally import Tally


_SPOOL_END = 2.0
"""How many seconds the end of a process sends what is in a spool, where it is safe."""


def _is_pointless(error: BaseException) -> bool:
    """Whether the same request a moment later would be answered alike: a wrong key, a redirect."""
    return isinstance(error, CairnApiError) and error.status < 500 and error.status not in (408, 425, 429)


class Client:
    """What :class:`Cairn` and :class:`AsyncCairn` have in common: everything that takes events."""

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        timeout: float = 2.0,
        failure: str = "closed",
        when_full: str = "wait",
        queue: Optional[PendingEvents] = None,
        batch: Batch = Batch(),
        retry: Retry = Retry(),
        context: Optional[Context] = None,
        redact: Sequence[SecretPath] = (),
        on_error: Optional[OnError] = None,
        handle_exit: bool = True,
        handle_sigterm: bool = False,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        """
        ``timeout``: most seconds of a call of ``record`` or ``enqueue``, retries included. ``failure``:
        whether a call that cannot be served in time raises (``closed``) or returns (``open``).
        ``when_full``: whether a full queue lets a call ``wait`` for room within its time limit or ``drop``
        the event. ``queue``: where events wait; a ``MemoryQueue`` of 10,000 unless given. ``context``:
        gives members that every event has which has none of its own. ``redact``: where events have secrets;
        they are replaced before anything else sees the event. ``on_error``: hears of all that is not as it
        should be; the ``cairn_client`` logger unless given. ``handle_exit``: what waits is sent before the
        interpreter ends. ``handle_sigterm``: and on SIGTERM, whose handler is then called; only from the
        main thread.

        Raises ``TypeError`` for an address, key or path that cannot be used.
        """
        one_of("failure", failure, "closed", "open")
        one_of("when_full", when_full, "wait", "drop")
        seconds_of("timeout", timeout)
        self._timeout, self._failure, self._when_full, self._retry = timeout, failure, when_full, retry
        self._http = Http(url, api_key, ssl_context)
        self._sender = Sender(self._http)
        self._in_memory = queue is None or isinstance(queue, MemoryQueue)
        self._queue: PendingEvents = MemoryQueue() if queue is None else queue
        self._tell = reporter(on_error)
        self._context = harmless(context, self._tell)
        self._redact = redactor(redact) if redact else None
        self._drain = Drain(self._queue, self._sender, self._drained, self._count, batch, retry)
        self._tally = Tally()
        self._closed = False
        # Who ends it: one at a time, and after what interrupted one, perhaps another.
        self._ending: Dict[str, Tuple[threading.Thread, object]] = {}
        self._ended = False
        self._said_lost = 0
        if handle_exit:
            at_exit(self)
        if handle_sigterm:
            on_sigterm(self)
        outlive_forks(self)
        # What an earlier process left in a spool is sent without waiting for a first event. It is looked for
        # also where its size is not known: what cannot be read is tried again, and reported.
        self._queue.watch(self._drain.notify)
        if not self._in_memory or self._queue.size() > 0:
            self._drain.notify()

    @property
    def counters(self) -> Counters:
        """What has become of events so far."""
        return Counters(**{**self._tally.read(), "waiting": self._queue.size()})

    def _after_fork(self) -> None:
        self._tally = Tally()
        self._ending = {}
        self._said_lost = 0
        self._http.connections.after_fork()
        self._queue.after_fork()
        self._drain.after_fork()

    def _limits(self, timeout: Optional[float], cancel: Optional[Cancel] = None) -> Limits:
        return Limits(self._timeout if timeout is None else seconds_of("timeout", timeout), cancel)

    def _recorded(
        self, prepare: Callable[[], PreparedEvent], limits: Limits, failure: Optional[str]
    ) -> Recorded:
        opens = self._opens(failure)
        prepared: Optional[PreparedEvent] = None
        try:
            prepared = prepare()
            self._check_open()
            return self._record(prepared, limits)
        except Exception as error:
            known = _keyed(error, prepared)
            is_refused = isinstance(known, EventRefusedError)
            if is_refused:
                self._add("refused")
            if limits.cancel.is_set and prepared is not None and not is_refused:
                # Its caller broke off, and hears nothing more: it goes on in the queue.
                self._defer(prepared, known, limits)
            if not opens or limits.cancel.is_set:
                raise _same(known, error)
            if prepared is None or is_refused or isinstance(known, ClosedError):
                status = "refused" if is_refused else "dropped"
                self._add("dropped", 0 if is_refused else 1)
                self._tell(known, Report(status, [prepared] if prepared else []))
                return Recorded(status, prepared.key if prepared else "")
            return Recorded(self._defer(prepared, known, limits), prepared.key)

    def _record(self, prepared: PreparedEvent, limits: Limits) -> Recorded:
        failures = 0
        while True:
            outcomes, error, _ = self._sender.send([prepared], limits.left(), limits.cancel)
            for outcome in outcomes:
                if outcome.refusal is not None:
                    raise EventRefusedError(outcome.refusal)
                self._count(outcomes)
                return Recorded(outcome.status, prepared.key, outcome.id)
            if error is None:
                raise CairnError("the service did not say what became of the event")
            failures += 1
            wait = backoff(failures, error, self._retry)
            if _is_pointless(error) or wait >= limits.left():
                raise error
            self._add("retries")
            limits.pause(wait)

    def _defer(self, prepared: PreparedEvent, error: CairnError, limits: Limits) -> str:
        try:
            self._queue.add(prepared, max(0.1, limits.left()), self._late(prepared, "deferred"))
        except CairnTimeoutError:
            # The disk is slow; what becomes of the event is said once that is known.
            self._tell(error, Report("deferred", [prepared]))
            return "deferred"
        except Exception as cause:
            self._add("dropped")
            self._tell(CairnError(f"{error}; the queue: {cause}"), Report("dropped", [prepared]))
            return "dropped"
        self._add("deferred")
        self._tell(error, Report("deferred", [prepared]))
        self._drain.notify()
        return "deferred"

    def _enqueued(
        self,
        prepare: Callable[[], PreparedEvent],
        limits: Limits,
        failure: Optional[str],
        when_full: Optional[str],
    ) -> Enqueued:
        opens = self._opens(failure)
        full = self._full(when_full)
        prepared: Optional[PreparedEvent] = None
        try:
            prepared = prepare()
            return self._keep(prepared, limits, full)
        except Exception as error:
            known = _keyed(error, prepared)
            key = prepared.key if prepared else ""
            events = [prepared] if prepared else []
            if isinstance(known, CairnTimeoutError):
                if not opens:
                    raise _same(known, error)
                self._tell(known, Report("deferred", events))
                return Enqueued("deferred", key)
            status = "refused" if isinstance(known, EventRefusedError) else "dropped"
            self._add(status)
            is_told = limits.cancel.is_set or (full == "drop" and isinstance(known, QueueFullError))
            if not opens and not is_told:
                raise _same(known, error)
            self._tell(known, Report(status, events))
            return Enqueued(status, key)

    def _put(self, prepared: PreparedEvent, timeout: float) -> Enqueued:
        self._check_open()
        self._queue.add(prepared, timeout, self._late(prepared, "kept"))
        self._add("kept")
        self._drain.notify()
        return Enqueued("kept", prepared.key)

    def _late(self, prepared: PreparedEvent, kept: str) -> Callable[[Optional[CairnError]], None]:
        """Says what became of an event that the disk had not confirmed within its call's limit."""

        def say(error: Optional[CairnError]) -> None:
            self._add(kept if error is None else "dropped")
            if error is not None:
                self._tell(_keyed(error, prepared), Report("dropped", [prepared]))

        return say

    def _put_at_once(self, prepare: Callable[[], PreparedEvent]) -> Optional[Enqueued]:
        """Memory with room takes no time; ``None`` where there is none, or something is wrong."""
        try:
            return self._put(prepare(), 0.0) if self._in_memory else None
        except CairnError:
            return None

    def _keep(self, prepared: PreparedEvent, limits: Limits, full: str) -> Enqueued:
        while True:
            try:
                return self._put(prepared, limits.left())
            except QueueFullError:
                if full == "drop" or limits.left() <= 0 or limits.cancel.is_set or self._drain.is_here:
                    raise
                # What fills the queue is sent now: nothing can join it.
                if not self._drain.worker.poke():
                    self._drain.work_here(limits.left())
                # In steps, so that a call that was ended does not hold its thread.
                self._queue.room(min(limits.left(), 0.1))

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("the client is closed")

    def _flushed(self, timeout: float) -> int:
        self._drain.flush(seconds_of("timeout", timeout))
        return self._queue.size()

    def _end(self, timeout: float) -> int:
        until = time.monotonic() + clamped(seconds_of("timeout", timeout))
        mine = threading.current_thread(), object()
        self._closed = True
        try:
            while not self._ended:
                holder = self._ending.setdefault("", mine)
                left = until - time.monotonic()
                if holder is mine:
                    self._close(max(0.0, left))
                elif holder[0] is mine[0] or self._drain.is_here or left <= 0:
                    # What interrupts an end would wait for it in vain.
                    break
                else:
                    time.sleep(min(left, 0.01))
        finally:
            if self._ending.get("") is mine:
                del self._ending[""]
        return self._queue.size()

    def _close(self, timeout: float) -> None:
        self._drain.close(timeout)
        self._http.connections.close()
        self._lost()
        self._ended = True
        ended(self)

    def _hurry(self, is_end: bool) -> bool:
        return self._ended or self._drain.hurry(is_end)

    def _leave(self, timeout: float) -> None:
        self._end(timeout if self._in_memory else min(timeout, _SPOOL_END))
        if not self._ended:
            # Another thread still ends it, and goes with the process.
            self._lost()

    def _terminate(self, timeout: float) -> None:
        self._flushed(timeout if self._in_memory else min(timeout, _SPOOL_END))
        self._lost()

    def _lost(self) -> None:
        """Says how many events go with the process, each once."""
        lost = self._queue.size() - self._said_lost
        if lost > 0 and self._in_memory:
            error = ClosedError(f"{lost} events waited in memory when the client ended")
            self._tell(error, Report("dropped"))
            self._add("dropped", lost)
            self._said_lost += lost

    def _prepared(self, event: Mapping[str, Any]) -> Callable[[], PreparedEvent]:
        """Prepares the event now, in the caller's context; the result gives it, or raises why it cannot."""
        try:
            prepared = prepare_event(event, self._context, self._redact)
        except Exception as error:
            return _raising(error)
        return lambda: prepared

    def _opens(self, failure: Optional[str]) -> bool:
        return one_of("failure", self._failure if failure is None else failure, "closed", "open") == "open"

    def _full(self, when_full: Optional[str]) -> str:
        return one_of("when_full", self._when_full if when_full is None else when_full, "wait", "drop")

    def _count(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            self._add("duplicates" if outcome.status == "duplicate" else outcome.status)

    def _add(self, name: str, number: int = 1) -> None:
        self._tally.add(name, number)

    def _drained(self, error: CairnError, report: Report) -> None:
        if report.kind == "retry":
            self._add("retries")
        self._tell(error, report)


def _raising(error: Exception) -> Callable[[], PreparedEvent]:
    def give() -> PreparedEvent:
        raise error

    return give


def _keyed(error: Exception, prepared: Optional[PreparedEvent]) -> CairnError:
    known = error if isinstance(error, CairnError) else CairnError(f"{type(error).__name__}: {error}")
    if prepared is not None:
        known.key = prepared.key
    return known


def _same(known: CairnError, error: Exception) -> CairnError:
    if known is not error:
        known.__cause__ = error
    return known


class Cairn(Client, Endpoints):
    """
    A client of one workspace, for threads. Make one and keep it; close it at the end, or use it as a context
    manager::

        with Cairn("https://audit.example.com", api_key) as cairn:
            cairn.record({"actor_id": "ada", "action": "invoice.paid", "resource_id": "42"})

    After ``os.fork`` the child's copy works, and sends none of the parent's events.
    """

    def __init__(self, url: str, api_key: str, **options: Any) -> None:
        """Takes what :class:`Client` takes."""
        Client.__init__(self, url, api_key, **options)
        Endpoints.__init__(self, Caller(self._http, self._retry))

    def record(
        self, event: Mapping[str, Any], *, timeout: Optional[float] = None, failure: Optional[str] = None
    ) -> Recorded:
        """
        Records an event: returns once the service has it on disk. Retried with its key until the time limit,
        so that it is recorded once however often it is sent.

        Raises ``EventRefusedError``, ``CairnApiError``, ``CairnConnectionError`` or ``CairnTimeoutError``,
        unless ``failure`` is ``open``; each has the event's ``key``, with which a later try cannot double it.
        """
        return self._recorded(self._prepared(event), self._limits(timeout), failure)

    def enqueue(
        self,
        event: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
        failure: Optional[str] = None,
        when_full: Optional[str] = None,
    ) -> Enqueued:
        """
        Puts an event into the queue, from which it is sent in batches. Returns once it is there: with a
        spool, once it is on disk.

        Raises ``EventRefusedError``, ``QueueFullError``, ``CairnTimeoutError``, or why the queue could not
        keep it, unless ``failure`` is ``open``; each but the first has the event's ``key``.
        """
        return self._enqueued(self._prepared(event), self._limits(timeout), failure, when_full)

    def flush(self, *, timeout: float = 10.0) -> int:
        """Sends what waits now, for at most ``timeout`` seconds. How many events still wait."""
        return self._flushed(timeout)

    def close(self, *, timeout: float = 10.0) -> int:
        """
        Sends what waits, for at most ``timeout`` seconds, and ends. What then still waits, whose number it
        gives, is in the spool for the next start, or, where the queue is in memory, lost, which ``on_error``
        and the counters say.
        """
        return self._end(timeout)

    def __enter__(self) -> "Cairn":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
