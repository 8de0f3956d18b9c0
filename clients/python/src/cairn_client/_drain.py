"""Sends what waits in a queue, batch after batch, until it is closed."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import Callable, Deque, List, Optional, Sequence

from ._aside import SetAside
from ._bell import Bell, clamped
from ._errors import CairnApiError, CairnError, CairnTimeoutError, EventRefusedError, Refusal
from ._events import Outcome, PendingEvents, PreparedEvent, Report
from ._limits import Cancel, Retry, backoff, seconds_of
from ._sender import Sender, Sent, may_be_one
from ._worker import Worker, within


_FAILURES_OF_A_BATCH = 3
"""
After so many failures in a row, fewer events are sent at a time, to find one that they may be due to; after
one where a request was not answered in time.
"""
_PARTS = 4
"""Into how many parts a batch with such an event is divided."""
_REQUESTS_OF_A_ROUND = 3
"""A round that takes more requests than one ends after so many times the longest time of one."""
_CLOSING = 0.25
"""The longest wait before the next try while a drain is being closed."""

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
        for name, value in (("batch.delay", batch.delay), *retry._asdict().items()):
            seconds_of(name, value)
        for name, number in (("batch.count", batch.count), ("batch.size", batch.size)):
            if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                raise TypeError(f"{name} must be a whole number from 1 on")
        self._events = events
        self._sender = sender
        self._report = report
        self._settled = settled
        self._batch = batch
        self._retry = retry
        self._request_timeout = request_timeout
        self._poll = poll
        self.worker = Worker("cairn-sender", self._run)
        self._aside = SetAside(
            retry,
            lambda event: self._send([event]),
            self.worker.poke,
            lambda error, event: report(error, Report("retry", [event])),
            lambda: self._longest,
        )
        self._new()

    def after_fork(self) -> None:
        self.worker.after_fork()
        self._aside.after_fork()
        self._new()

    def _new(self) -> None:
        # What flushes wait for: those that the sender has not seen, and those that it is to answer.
        self._flushes: Deque[Bell] = deque()
        self._asked: List[Bell] = []
        self._failures = 0
        # While an event is searched for that does not get through: how many are sent at a time, among how
        # many of the oldest it is, and whether any of them got through since.
        self._part: Optional[int] = None
        self._suspects = 0
        self._is_mixed = False
        # Whether it is the service that said how long to wait.
        self._is_told = False
        self._end = Cancel()
        self._until = float("inf")
        self._wake = Bell()
        self._closing = False

    @property
    def _longest(self) -> float:
        return _CLOSING if self._closing else float("inf")

    @property
    def is_here(self) -> bool:
        """Whether the caller runs in one of its threads, which it would wait for in vain."""
        return self.worker.is_here or self._aside.worker.is_here

    def notify(self) -> None:
        """Says that events wait. A full batch is sent at once, a smaller one after ``delay``."""
        if not self._closing:
            is_full = self._events.size() - self._aside.size >= self._batch.count
            self.worker.poke(0.0 if is_full else self._batch.delay)

    def flush(self, timeout: float) -> None:
        """
        Sends what waits now. Returns once nothing does but events that do not get through, each of which is
        tried once more, or time is over; the sending goes on then.
        """
        if self._end.is_set or self.is_here:
            return
        end = time.monotonic() + clamped(timeout)
        answer = Bell()
        self._flushes.append(answer)
        if not self._is_told:
            self._wake.ring()
        if not self.worker.poke() and self.work_here(timeout):
            return
        unhook = self._end.on_set(answer.ring)
        try:
            answer.wait(end - time.monotonic())
        finally:
            unhook()

    def work_here(self, timeout: float) -> bool:
        """
        Sends what waits in the caller's thread, for about ``timeout`` seconds. Whether it did: another may.
        """
        until = time.monotonic() + clamped(timeout)
        return self.worker.work_here(lambda: self._run(until))

    def hurry(self, is_end: bool) -> bool:
        """
        Begins to send what waits, at an end without long waits. Whether there is a thread that does.
        """
        self._closing = self._closing or is_end
        self._flushes.append(Bell())
        self._wake.ring()
        return self.worker.poke()

    def close(self, timeout: float) -> None:
        """
        Tries what waits, without long waits, for at most ``timeout`` seconds, and ends. Where something
        interrupted it, it may be called again.
        """
        end = time.monotonic() + clamped(timeout)
        self._closing = True
        self._wake.ring()
        self.flush(timeout)
        self._end.set()
        self._wake.ring()
        # A request in progress is cut. What else does not end is left to itself.
        end = max(end, time.monotonic() + _MARGIN)
        self.worker.end(end - time.monotonic())
        self._aside.worker.end(end - time.monotonic())
        within(end - time.monotonic(), self._events.close)

    def _run(self, until: float = float("inf")) -> None:
        # Where a caller's thread sends, it does so for so long.
        self._until = until
        while not self._end.is_set and time.monotonic() < until:
            # A flush that comes while the queue is being looked at waits for the next look.
            self._hear()
            try:
                is_empty = self._once()
            except Exception as error:
                self._retry_later(error, (), "queue")
                is_empty = False
            if is_empty or self._failures == 0:
                self._aside.next()
            if not is_empty or self._aside.outcomes:
                continue
            # What is set aside wakes it.
            if not self._aside.is_asked:
                while self._asked:
                    self._asked.pop().ring()
            if self._poll is not None:
                self.worker.poke(self._poll)
            return

    def _hear(self) -> None:
        if self._flushes:
            self._aside.ask()
        while self._flushes:
            self._asked.append(self._flushes[0])
            self._flushes.popleft()

    def _send(self, events: Sequence[PreparedEvent]) -> Sent:
        until = min(time.monotonic() + self._request_timeout * _REQUESTS_OF_A_ROUND, self._until)
        return self._sender.send(events, self._request_timeout, self._end, until)

    def _once(self) -> bool:
        """Takes a batch, sends it, and settles it. Whether there was nothing to take."""
        outcomes = self._aside.outcomes
        if outcomes:
            self._settle(self._aside.events, outcomes)
            self._aside.remove()
        taken = self._events.take(self._part or self._batch.count, self._batch.size)
        if not taken:
            return True
        try:
            sent = self._send(taken)
        except BaseException as error:
            self._events.release(taken)
            if not isinstance(error, Exception):
                raise
            self._retry_later(error, taken, "retry")
            return False
        known = {outcome.key for outcome in sent.outcomes}
        rest = [event for event in taken if event.key not in known]
        released = self._search(len(taken), rest, sent)
        try:
            if sent.outcomes:
                self._settle(taken, sent.outcomes)
        finally:
            if released:
                self._events.release(released)
        if sent.outcomes:
            self._failures = 0
            self._aside.confirm()
        if sent.error is not None:
            self._retry_later(sent.error, rest, "retry")
        return False

    def _settle(self, events: Sequence[PreparedEvent], outcomes: Sequence[Outcome]) -> None:
        self._events.settle(outcomes)
        self._settled(outcomes)
        self._tell(events, outcomes)

    def _search(self, count: int, rest: Sequence[PreparedEvent], sent: Sent) -> Sequence[PreparedEvent]:
        """
        Looks for an event that does not get through: fewer events are sent at a time, until it fails alone or
        beside others that get through. It is set aside. Gives those of ``rest`` that go back into the queue.
        """
        if sent.error is None:
            self._suspects -= count
            self._is_mixed = True
            if self._suspects <= 0:
                self._part = None
        if sent.failing:
            return self._set_aside(rest, sent.failing, True)
        if sent.error is None or not may_be_one(sent.error):
            return rest
        self._is_mixed = self._is_mixed and self._part is not None
        is_long = self._failures + 1 >= _FAILURES_OF_A_BATCH or isinstance(sent.error, CairnTimeoutError)
        if not is_long and self._part is None and self._aside.size == 0:
            return rest
        if count == 1:
            self._part = None
            return self._set_aside(rest, rest, self._is_mixed)
        self._suspects = count
        self._part = -(-count // _PARTS)
        return rest

    def _set_aside(
        self, rest: Sequence[PreparedEvent], events: Sequence[PreparedEvent], is_mixed: bool
    ) -> Sequence[PreparedEvent]:
        keys = {event.key for event in events}
        is_asked = bool(self._asked or self._flushes)
        return [
            event for event in rest if event.key not in keys or not self._aside.add(event, is_mixed, is_asked)
        ]

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
        self._is_told = isinstance(error, CairnApiError) and (error.retry_after or 0) > 0
        # A flush ends the wait, also one by a callback that runs here; a close ends each long one.
        self._wake.clear()
        self._report(known, Report(kind, events))
        if not self._end.is_set:
            wait = min(backoff(self._failures, error, self._retry), self._longest)
            self._wake.wait(min(wait, self._until - time.monotonic()))
