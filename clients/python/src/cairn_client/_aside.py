"""Events that do not get through while others do wait apart, so that they hold up nothing."""

from __future__ import annotations

import threading
import time
from typing import Callable, Dict, List, Sequence

from ._errors import CairnError
from ._events import Outcome, PreparedEvent
from ._limits import Retry, backoff
from ._sender import Sent
from ._worker import Worker

_MOST = 100
"""Most events that wait apart; a queue of which more do not get through waits as a whole."""


class _Held:
    """An event that waits apart."""

    __slots__ = ("event", "tries", "at", "is_sure", "asked", "answered")

    def __init__(self, event: PreparedEvent, is_sure: bool, asked: int) -> None:
        self.event = event
        self.tries = 1
        # When it is tried again.
        self.at = 0.0
        # Whether another event got through since: it is the event, and not the service.
        self.is_sure = is_sure
        # Which of the flushes is the last to wait for a try, and which the last that has had its try.
        self.asked = asked
        self.answered = 0


class SetAside:
    """
    The events that wait apart, taken from a queue and neither settled nor released. They are sent one at a
    time, beside what is sent otherwise, each after a wait of its own that doubles: from 2 seconds to 5
    minutes unless ``Retry`` says otherwise.
    """

    def __init__(
        self,
        retry: Retry,
        send: Callable[[PreparedEvent], Sent],
        wake: Callable[[], object],
        report: Callable[[CairnError, PreparedEvent], None],
        longest: Callable[[], float],
    ) -> None:
        """
        ``send`` raises only when all ends. ``wake``: called when there is something to settle or to send
        again. ``report`` hears of each try that failed. ``longest``: the longest wait now.
        """
        self._retry = retry
        self._send = send
        self._wake = wake
        self._report = report
        self._longest = longest
        self.worker = Worker("cairn-aside", self._work)
        self.after_fork()

    def after_fork(self) -> None:
        self.worker.after_fork()
        # Of the threads that send: what interrupts the main thread never needs it.
        self._lock = threading.RLock()
        self._held: Dict[str, _Held] = {}
        self._asks = 0
        self.outcomes: Sequence[Outcome] = ()
        """What became of those that got through or were refused. They stay here until `remove`."""

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self._held)

    @property
    def events(self) -> List[PreparedEvent]:
        """The events of the outcomes, and others."""
        with self._lock:
            return [held.event for held in self._held.values()]

    @property
    def is_asked(self) -> bool:
        """Whether a flush has to wait for one of them."""
        with self._lock:
            return bool(self.outcomes) or any(held.asked > held.answered for held in self._held.values())

    def add(self, event: PreparedEvent, is_mixed: bool, is_asked: bool) -> bool:
        """
        Sets an event aside, unless there are too many. ``is_mixed``: others got through beside it, so that it
        is the event that does not; as it is where this is known of another.
        """
        with self._lock:
            if len(self._held) >= _MOST:
                return False
            is_sure = is_mixed or any(held.is_sure for held in self._held.values())
            held = _Held(event, is_sure, self._asks if is_asked else 0)
            self._wait(held, CairnError())
            self._held[event.key] = held
            return True

    def confirm(self) -> None:
        """Says that another event got through: all that was tried in vain is tried again soon."""
        with self._lock:
            for held in self._held.values():
                if not held.is_sure:
                    held.is_sure = True
                    held.at = 0.0

    def ask(self) -> None:
        """Tries all of them now."""
        with self._lock:
            self._asks += 1
            for held in self._held.values():
                held.at = 0.0
                held.asked = self._asks

    def remove(self) -> None:
        """Forgets the settled outcomes."""
        with self._lock:
            for outcome in self.outcomes:
                self._held.pop(outcome.key, None)
            self.outcomes = ()

    def next(self) -> None:
        """Sends the one whose time has come, or waits for the next one's."""
        if self._held and not self.worker.poke():
            self.worker.work_here(self._work)

    def _work(self) -> None:
        with self._lock:
            if self.outcomes or not self._held:
                return
            first = min(self._held.values(), key=lambda held: held.at)
            wait = first.at - time.monotonic()
            asked = first.asked
        if wait > 0:
            self.worker.poke(wait)
            return
        try:
            sent = self._send(first.event)
        except Exception:
            # All ends: it stays in its queue.
            return
        with self._lock:
            if sent.error is None:
                self.outcomes = sent.outcomes
            else:
                self._failed(first, sent.error, asked)
        if sent.error is not None:
            self._report(sent.error, first.event)
        self._wake()

    def _failed(self, held: _Held, error: CairnError, asked: int) -> None:
        held.tries += 1
        # Of one that may only be unlucky a flush waits for the next try too, and an end for that of each.
        if held.is_sure and self._longest() == float("inf"):
            held.answered = asked
        self._wait(held, error)
        if held.asked > asked:
            held.at = 0.0

    def _wait(self, held: _Held, error: CairnError) -> None:
        times = 10.0 if held.is_sure else 1.0
        retry = Retry(self._retry.base * times, self._retry.most * times)
        held.at = time.monotonic() + min(backoff(held.tries, error, retry), self._longest())
