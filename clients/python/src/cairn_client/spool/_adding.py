"""How events wait for the disk."""

from __future__ import annotations

import threading
from typing import Callable

from .._events import PreparedEvent
from .._worker import Bell


class Add:
    """An event that waits for its commit."""

    __slots__ = ("event", "size", "done")

    def __init__(self, event: PreparedEvent) -> None:
        self.event = event
        self.size = len(event.data) + 10
        self.done = Bell()
        """Says why it is not on the disk; ``None`` where it is."""


class Exclusive:
    """
    A lock that its thread may take again, and that knows whether the caller has it. Take its `lock` in a
    `with`: each end of that is one step of the interpreter, which nothing interrupts.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._is_owned: Callable[[], bool] = getattr(self.lock, "_is_owned")

    @property
    def is_mine(self) -> bool:
        """Whether the caller's thread has it."""
        return self._is_owned()
