"""Sends what waits in a queue, batch after batch, until it is closed."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Callable, Optional, Sequence

from ._errors import CairnError, EventRefusedError, Refusal
from ._events import Outcome, PendingEvents, PreparedEvent, Report
from ._limits import Cancel, Retry, backoff
from ._sender import Sender
from ._worker import Worker, within


_FAILURES_OF_A_BATCH = 3
"""After so many failures in a row, a batch is divided to find the event that they may be due to."""

_MARGIN = 1.0
"""How many seconds an end takes at most, beyond its limit, to let go of what it holds."""


@dataclass(frozen=True)
class Batch:
    """How events are put together."""

    count: int = 100
    """Most events of a request: 100 is the most that the service takes."""
    size: int = 4 * 1024 * 1024
    """Most bytes of a request; the service takes 8 MiB."""
    delay: float = 0.05
    """Most seconds that an event waits for others."""


class Drain:
    """One drain reads one queue, one batch at a time, in a thread of its own."""

    def __init__(
        self,
        events: PendingEvents,
        sender: Sender,
        report: Callable[[CairnError, Report], None],
        settled: Callable[[Sequence[Outcome]], None] = lambda _: None,
        batch: Batch = Batch(),
        retry: Retry = Retry(),
        request_timeout: float = 10.0,
        poll: Optional[float] = None,
    ) -> None:
        """
        ``report`` hears of refusals, retries and failures of the queue, ``settled`` of outcomes that have
        left the queue; neither must raise. ``poll``: in how many seconds a queue that others fill too is
        looked at again when it was empty.
        """
        self._events = events
        self._sender = sender
        self._report = report
        self._settled = settled
        self._batch = batch
        self._retry = retry
        self._request_timeout = request_timeout
        self._poll = poll
        self.worker = Worker("cairn-sender", self._run)
        self.after_fork()

    def after_fork(self) -> None:
        self.worker.after_fork()
        self._flushed = threading.Condition()
        self._asked = 0
        self._answered = 0
        self._failures = 0
        self._end = Cancel()
        self._wake = threading.Event()
        self._closing = False

    def notify(self) -> None:
        """Says that events wait. A full batch is sent at once, a smaller one after ``delay``."""
        if not self._closing:
            self.worker.poke(0.0 if self._events.size() >= self._batch.count else self._batch.delay)

    def flush(self, timeout: float) -> None:
        """Sends what waits now. Returns once nothing does, or time is over; the sending goes on then."""
        if self._end.is_set or self.worker.is_here:
            return
        end = time.monotonic() + timeout
        with self._flushed:
            self._asked += 1
            mine = self._asked
        self.worker.poke()
        with self._flushed:
            while self._answered < mine and not self._end.is_set:
                left = end - time.monotonic()
                if left <= 0:
                    return
                self._flushed.wait(left)

    def close(self, timeout: float) -> None:
        """Tries what waits once more without waiting, for at most ``timeout`` seconds, and ends."""
        end = time.monotonic() + timeout
        self._closing = True
        self._wake.set()
        self.flush(timeout)
        self._end.set()
        self._wake.set()
        with self._flushed:
            self._flushed.notify_all()
        # A request that was under way is cut. What else does not end is left to itself.
        end = max(end, time.monotonic() + _MARGIN)
        self.worker.end(end - time.monotonic())
        within(end - time.monotonic(), self._events.close)

    def _run(self) -> None:
        while not self._end.is_set:
            with self._flushed:
                asked = self._asked
            try:
                is_empty = self._once()
            except Exception as error:
                self._retry_later(error, (), "queue")
                continue
            if not is_empty:
                continue
            with self._flushed:
                self._answered = asked
                self._flushed.notify_all()
            if self._poll is not None:
                self.worker.poke(self._poll)
            return

    def _once(self) -> bool:
        """Takes a batch, sends it, and settles it. Whether there was nothing to take."""
        taken = self._events.take(self._batch.count, self._batch.size)
        if not taken:
            return True
        outcomes: Sequence[Outcome] = ()
        failure: Optional[BaseException] = None
        try:
            outcomes, failure = self._sender.send(
                taken, self._request_timeout, self._end, divides=self._failures >= _FAILURES_OF_A_BATCH
            )
        except Exception as error:
            failure = error
        known = {outcome.key for outcome in outcomes}
        rest = [event for event in taken if event.key not in known]
        try:
            if outcomes:
                self._events.settle(outcomes)
                self._settled(outcomes)
                self._tell(taken, outcomes)
        finally:
            if rest:
                self._events.release(rest)
        if outcomes:
            self._failures = 0
        if failure is not None:
            self._retry_later(failure, rest, "retry")
        return False

    def _tell(self, taken: Sequence[PreparedEvent], outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            left_out = outcome.dropped_fields or outcome.warnings
            if outcome.status == "refused":
                error: CairnError = EventRefusedError(outcome.refusal or Refusal("", ""))
            elif left_out:
                error = CairnError(f"the service does not know and left out: {', '.join(left_out)}")
            else:
                continue
            kind = "refused" if outcome.status == "refused" else "fields"
            events = [event for event in taken if event.key == outcome.key]
            self._report(error, Report(kind, events, [outcome]))

    def _retry_later(self, error: BaseException, events: Sequence[PreparedEvent], kind: str) -> None:
        if self._end.is_set:
            return
        self._failures += 1
        known = error if isinstance(error, CairnError) else CairnError(f"{type(error).__name__}: {error}")
        self._report(known, Report(kind, events))
        # Whoever closes does not wait; after that one try, waits are waits again.
        self._wake.wait(backoff(self._failures, error, self._retry))
        if not self._end.is_set:
            self._wake.clear()
