"""How events wait for the disk."""

from __future__ import annotations

import threading
from typing import Any

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


class Disk:
    """The lock of the disk, which knows whether its caller is within it, or about to be."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._here = threading.local()

    @property
    def depth(self) -> int:
        """How often the caller's thread has it."""
        return int(getattr(self._here, "depth", 0))

    def __enter__(self) -> None:
        self._here.depth = self.depth + 1
        try:
            self._lock.acquire()
        except BaseException:
            self._here.depth = self.depth - 1
            raise

    def __exit__(self, *_: Any) -> None:
        self._lock.release()
        self._here.depth = self.depth - 1
