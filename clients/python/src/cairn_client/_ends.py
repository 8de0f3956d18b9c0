"""What becomes of clients when their process forks, and when it ends."""

from __future__ import annotations

import atexit
import os
import signal
import threading
import time
import weakref
from typing import Any, List, Protocol, TypeVar

try:
    from multiprocessing import util as _processes
except ImportError:
    # Where a platform has no processes.
    _processes = None  # type: ignore[assignment]

LONGEST_END = 10.0
"""How many seconds the end of a process waits at most, for all clients together."""


A = TypeVar("A")


class Forked(Protocol):
    """What outlives a fork."""

    def _after_fork(self) -> None:
        """In the child of a fork: lets go of all that is the parent's."""


class Lasting(Protocol):
    """What is ended with its process."""

    def _hurry(self, is_end: bool) -> bool:
        """Begins to send what waits. Whether a thread does so, beside which there is time for others."""

    def _leave(self, timeout: float) -> None:
        """The process ends; it waits for so many seconds."""

    def _terminate(self, timeout: float) -> None:
        """The process ends by a signal, perhaps."""


def _those_of(found: "weakref.WeakSet[A]") -> List[A]:
    """What is in it now, although other threads may add some meanwhile."""
    while True:
        try:
            return list(found)
        except RuntimeError:
            pass


_all: "weakref.WeakSet[Forked]" = weakref.WeakSet()


def _after_fork() -> None:
    for each in _those_of(_all):
        each._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def outlive_forks(each: Forked) -> None:
    """Lets a child of a fork have it as new."""
    _all.add(each)


def ended(each: Forked) -> None:
    """It needs nothing any more."""
    _all.discard(each)


class _Ending:
    """Clients that end together, so that one which nobody answers takes no time from the others."""

    def __init__(self) -> None:
        self._clients: "weakref.WeakSet[Lasting]" = weakref.WeakSet()
        self.is_set_up = False

    def add(self, each: Lasting) -> None:
        self._clients.add(each)

    def leave(self) -> None:
        self._each(True)

    def terminate(self) -> None:
        self._each(False)

    def _each(self, is_end: bool) -> None:
        until = time.monotonic() + LONGEST_END
        waiting = [(each, each._hurry(is_end)) for each in _those_of(self._clients)]
        for number, (each, has_thread) in enumerate(waiting):
            left = max(0.0, until - time.monotonic())
            # One that sends here leaves the others their parts.
            timeout = left if has_thread else left / (len(waiting) - number)
            if is_end:
                each._leave(timeout)
            else:
                each._terminate(timeout)


_exits = _Ending()
_signalled = _Ending()


def _finalize(_: object = None) -> None:
    # A child of multiprocessing begins with no finalizers, and ends with them, not with atexit.
    _processes.Finalize(None, _exits.leave, exitpriority=0)


def at_exit(each: Lasting) -> None:
    """Lets it leave at the end of this process, and its copy at that of each child, unless it is gone."""
    _exits.add(each)
    if not _exits.is_set_up:
        _exits.is_set_up = True
        atexit.register(_exits.leave)
        if _processes is not None:
            _finalize()
            _processes.register_after_fork(_exits, _finalize)


_held = threading.local()


def _hold_sigterm() -> None:
    _held.mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM,))


def _let_sigterm_go() -> None:
    # Another thread may have begun to fork before these were registered.
    mask = getattr(_held, "mask", None)
    if mask is not None:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def on_sigterm(each: Lasting) -> None:
    """Lets it send what waits on SIGTERM, then lets happen what would have happened."""
    before = signal.getsignal(signal.SIGTERM)
    _signalled.add(each)
    if getattr(before, "is_of_clients", False):
        return
    if not _signalled.is_set_up and hasattr(signal, "pthread_sigmask"):
        # Python forgets in the child of a fork what signals it has got by then: a pool that ends its new
        # processes would wait without end for one that was not ended. The system keeps what it holds back.
        _signalled.is_set_up = True
        os.register_at_fork(
            before=_hold_sigterm, after_in_parent=_let_sigterm_go, after_in_child=_let_sigterm_go
        )

    def leave() -> None:
        _signalled.terminate()
        os.kill(os.getpid(), signal.SIGTERM)

    def handle(*_: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)
        try:
            # Not here: the application goes on meanwhile.
            threading.Thread(target=leave, name="cairn-sigterm", daemon=True).start()
        except RuntimeError:
            leave()

    handle.is_of_clients = True  # type: ignore[attr-defined]
    signal.signal(signal.SIGTERM, handle)
