"""
A thread that does one kind of work whenever there is some, and ends when it was idle for a while.

Asking for work waits for no lock: a signal's handler or a finalizer may do so wherever it interrupts,
and what raises there leaves none held.
"""

from __future__ import annotations

import threading
import time
from typing import Callable, Dict, List

from ._bell import Bell, clamped

_LINGER = 5.0
_NEVER = float("inf")


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
        # Which thread works. The first to come has the place, in one step of the interpreter.
        self._place: Dict[str, threading.Thread] = {}
        self._ended = False

    @property
    def is_here(self) -> bool:
        """Whether the caller runs in it."""
        return self._place.get("") is threading.current_thread()

    def poke(self, delay: float = 0.0) -> bool:
        """
        Lets it work in ``delay`` seconds, or earlier where that was said already. False where no thread can
        be started: the work is left until the next poke, or to the caller's `work_here`.
        """
        due = time.monotonic() + clamped(delay)
        if self._ended or self._due <= due:
            return True
        self._bell.ring(due)
        while not self._place and self._bell.is_rung:
            if not self._start():
                return False
        return True

    def _start(self) -> bool:
        # Whose the beginning is: the thread's, or that of a starter who was interrupted and gave it up.
        begun: Dict[str, str] = {}
        thread = threading.Thread(target=self._run, args=(begun,), name=self._name, daemon=True)
        try:
            if self._place.setdefault("", thread) is thread:
                thread.start()
            return True
        except RuntimeError:
            # The interpreter ends, or the system has too many.
            self._leave(thread)
            return False
        except BaseException:
            # What interrupted this raises; the thread may run all the same.
            if begun.setdefault("by", "starter") == "starter":
                self._leave(thread)
            raise

    def _leave(self, thread: threading.Thread) -> None:
        if self._place.get("") is thread:
            del self._place[""]

    def work_here(self, work: Callable[[], None]) -> bool:
        """Does ``work`` in the caller's thread, unless something works already. Whether it did."""
        thread = threading.current_thread()
        # What interrupts the caller's work, and works itself, would wait for it.
        if self.is_here:
            return False
        try:
            if self._place.setdefault("", thread) is not thread:
                return False
            self._bell.clear()
            work()
            return True
        finally:
            self._leave(thread)

    def end(self, timeout: float) -> None:
        """Works no more, and waits for the work that runs."""
        self._ended = True
        self._bell.ring(0.0)
        thread = self._place.get("")
        if thread is not None and thread is not threading.current_thread():
            try:
                thread.join(clamped(timeout))
            except RuntimeError:
                # It is only just being started, and finds that all is over.
                pass

    def _run(self, begun: Dict[str, str]) -> None:
        if begun.setdefault("by", "thread") != "thread":
            return
        thread = threading.current_thread()
        try:
            while self._place.setdefault("", thread) is thread:
                self._work_on()
                self._leave(thread)
                # Who rang before that saw a thread.
                if self._ended or not self._bell.is_rung:
                    return
        finally:
            self._leave(thread)

    def _work_on(self) -> None:
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
            if due == _NEVER:
                return


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
