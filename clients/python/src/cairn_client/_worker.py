"""A thread that does one kind of work whenever there is some, and ends when it was idle for a while."""

from __future__ import annotations

import threading
import time
from typing import Callable, List, Optional

from ._limits import clamped

_LINGER = 5.0


class Worker:
    """Does ``work``, which must not raise, one at a time."""

    def __init__(self, name: str, work: Callable[[], None]) -> None:
        self._name = name
        self._work = work
        self.after_fork()

    def after_fork(self) -> None:
        """A child of a fork has no threads of its parent."""
        self._changed = threading.Condition()
        self._due: Optional[float] = None
        self._thread: Optional[threading.Thread] = None
        self._ended = False

    @property
    def is_here(self) -> bool:
        """Whether the caller runs in it."""
        return self._thread is threading.current_thread()

    def poke(self, delay: float = 0.0) -> None:
        """Lets it work in ``delay`` seconds, or earlier where that was said already."""
        due = time.monotonic() + clamped(delay)
        with self._changed:
            if self._ended or (self._due is not None and self._due <= due):
                return
            self._due = due
            self._changed.notify()
            if self._thread is not None:
                return
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            try:
                self._thread.start()
                return
            except RuntimeError:
                # The interpreter ends, and starts no threads any more: the caller does it.
                self._thread = None
                self._due = None
        self._work()

    def end(self, timeout: float) -> None:
        """Works no more, and waits for the work that runs."""
        with self._changed:
            self._ended = True
            self._changed.notify()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(clamped(timeout))

    def _run(self) -> None:
        while True:
            with self._changed:
                while True:
                    now = time.monotonic()
                    if self._ended:
                        return
                    if self._due is not None and self._due <= now:
                        self._due = None
                        break
                    wait = _LINGER if self._due is None else self._due - now
                    if not self._changed.wait(wait) and self._due is None:
                        self._thread = None
                        return
            self._work()


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
