"""What becomes of clients when their process forks, and when it ends."""

from __future__ import annotations

import atexit
import os
import signal
import threading
import weakref
from typing import Any, Callable, Protocol

try:
    from multiprocessing import util as _processes
except ImportError:
    # Where a platform has no processes.
    _processes = None  # type: ignore[assignment]


class Forked(Protocol):
    """What outlives a fork."""

    def _after_fork(self) -> None:
        """In the child of a fork: lets go of all that is the parent's."""


class Lasting(Protocol):
    """What is ended with its process."""

    def _leave(self) -> None:
        """The process ends."""

    def _terminate(self) -> None:
        """The process ends by a signal, perhaps."""


_all: "weakref.WeakSet[Forked]" = weakref.WeakSet()


def _after_fork() -> None:
    for each in list(_all):
        each._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def outlive_forks(each: Forked) -> None:
    """Lets a child of a fork have it as new."""
    _all.add(each)


def ended(each: Forked) -> None:
    """It needs nothing any more."""
    _all.discard(each)


def at_exit(each: Lasting) -> None:
    """Lets it leave at the end of this process, and its copy at that of each child, unless it is gone."""
    here = weakref.ref(each)

    def leave() -> None:
        found = here()
        if found is not None:
            found._leave()

    atexit.register(leave)
    weakref.finalize(each, atexit.unregister, leave).atexit = False
    if _processes is not None:
        # A child of multiprocessing begins with no finalizers, and ends with them, not with atexit.
        _processes.Finalize(each, leave, exitpriority=0)
        _processes.register_after_fork(each, _leaves(leave))


def _leaves(leave: Callable[[], None]) -> Callable[[Lasting], None]:
    def again(each: Lasting) -> None:
        _processes.Finalize(each, leave, exitpriority=0)

    return again


def on_sigterm(each: Lasting) -> None:
    """Lets it send what waits on SIGTERM, then lets happen what would have happened."""
    before = signal.getsignal(signal.SIGTERM)
    here = weakref.ref(each)

    def leave() -> None:
        found = here()
        if found is not None:
            found._terminate()
        os.kill(os.getpid(), signal.SIGTERM)

    def handle(*_: Any) -> None:
        # Not here: what was interrupted may hold the locks that sending needs.
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)
        threading.Thread(target=leave, name="cairn-sigterm", daemon=True).start()

    signal.signal(signal.SIGTERM, handle)
