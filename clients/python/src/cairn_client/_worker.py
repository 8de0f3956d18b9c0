"""
A thread that does one kind of work whenever there is some, and ends when it was idle for a while.

Whoever asks for work waits for no lock: a signal's handler or a finalizer may do so wherever it interrupts.
"""

from __future__ import annotations

import threading
import time
from queue import Empty, SimpleQueue
from typing import Any, Callable, List, Optional

from ._limits import clamped

_LINGER = 5.0
_NEVER = float("inf")


class Bell:
    """What a thread waits for; it may be rung wherever a thread is interrupted."""

    def __init__(self) -> None:
        self._rings: "SimpleQueue[Any]" = SimpleQueue()

    def ring(self, said: Any = None) -> None:
        self._rings.put(said)

    def clear(self) -> None:
        """Forgets that it was rung."""
        while not self._rings.empty():
            self.wait(0.0)

    def wait(self, seconds: float, otherwise: Any = None) -> Any:
        """Waits for one ring. What was said with it; ``otherwise`` where there was none in time."""
        try:
            return self._rings.get(timeout=clamped(seconds))
        except Empty:
            return otherwise

    @property
    def is_rung(self) -> bool:
        return not self._rings.empty()


class Worker:
    """Does ``work``, which must not raise, one at a time."""

    def __init__(self, name: str, work: Callable[[], None]) -> None:
        self._name = name
        self._work = work
        self.after_fork()

    def after_fork(self) -> None:
        """A child of a fork has no threads of its parent."""
        # Each ring says when there is work.
        self._bell = Bell()
        # When the thread works next, as far as it knows.
        self._due = _NEVER
        self._thread: Optional[threading.Thread] = None
        # Held by whoever says which thread it is. Nobody waits for it: its holder looks again afterwards.
        self._choosing = threading.Lock()
        self._ended = False
        self._is_alone = False

    @property
    def is_here(self) -> bool:
        """Whether the caller runs in it."""
        return self._thread is threading.current_thread()

    def poke(self, delay: float = 0.0) -> None:
        """Lets it work in ``delay`` seconds, or earlier where that was said already."""
        due = time.monotonic() + clamped(delay)
        if self._ended or self._due <= due:
            return
        self._bell.ring(due)
        while self._thread is None and self._bell.is_rung and self._choosing.acquire(blocking=False):
            try:
                starts = self._thread is not None or self._start()
            finally:
                self._choosing.release()
            if not starts:
                return self._work_here()

    def _start(self) -> bool:
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        try:
            self._thread.start()
            return True
        except RuntimeError:
            # The interpreter ends, and starts no threads any more: the caller does it.
            self._thread = None
            return False

    def _work_here(self) -> None:
        self._bell.clear()
        if not self._is_alone:
            self._is_alone = True
            try:
                self._work()
            finally:
                self._is_alone = False

    def end(self, timeout: float) -> None:
        """Works no more, and waits for the work that runs."""
        self._ended = True
        self._bell.ring(0.0)
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(clamped(timeout))

    def _run(self) -> None:
        due = _NEVER
        while not self._ended:
            if due <= time.monotonic():
                self._due = due = _NEVER
                # What asked for work before this has it now.
                self._bell.clear()
                self._work()
                continue
            self._due = due
            wait = _LINGER if due == _NEVER else due - time.monotonic()
            due = min(due, self._bell.wait(wait, _NEVER))
            if due == _NEVER and self._leaves():
                return

    def _leaves(self) -> bool:
        """Whether it is no longer the thread that works: nobody has poked it, or another begins."""
        self._thread = None
        if not self._bell.is_rung or not self._choosing.acquire(blocking=False):
            return True
        try:
            if self._thread is None:
                self._thread = threading.current_thread()
            return not self.is_here
        finally:
            self._choosing.release()


def within(seconds: float, work: Callable[[], None]) -> None:
    """Does ``work``, and leaves it to itself where it takes longer. Raises what it raises until then."""
    raised: List[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, name="cairn-end", daemon=True)
    try:
        thread.start()
    except RuntimeError:
        # The interpreter ends, and starts no threads any more.
        return work()
    thread.join(clamped(seconds))
    if raised:
        raise raised[0]
