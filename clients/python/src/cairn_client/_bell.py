"""What a thread waits for, without a lock that an interruption could leave held."""

from __future__ import annotations

from collections import deque
from queue import Empty, SimpleQueue
from typing import Any, Deque

MOST_SECONDS = 2_000_000.0
"""The longest wait that every platform's timers can take; who wants a longer one waits without end."""


def clamped(seconds: float) -> float:
    """Seconds that a timer can take."""
    return min(max(0.0, seconds), MOST_SECONDS)


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
            # First without a timer: up to Python 3.10 one that is over before the queue has looked at it once
            # is taken for none at all.
            return self._rings.get(block=False)
        except Empty:
            pass
        try:
            return otherwise if seconds <= 0 else self._rings.get(timeout=clamped(seconds))
        except Empty:
            return otherwise

    @property
    def is_rung(self) -> bool:
        return not self._rings.empty()


class Room:
    """Who waits for room in a queue that was full."""

    def __init__(self) -> None:
        self.is_full = False
        """Whether an event found no room since some was made."""
        self._is_over = False
        self._waits: Deque[Bell] = deque()

    def wait(self, timeout: float) -> bool:
        """Waits until there may be room, for at most ``timeout`` seconds. Whether there may be."""
        bell = Bell()
        # Before it looks, so that it misses no room that is made.
        self._waits.append(bell)
        try:
            return not self.is_full or self._is_over or bool(bell.wait(timeout, False))
        finally:
            try:
                self._waits.remove(bell)
            except ValueError:
                # It was woken.
                pass

    def make(self, most: int) -> None:
        """Says that there is room for ``most`` events: each of those who wait that is woken in vain costs."""
        self.is_full = False
        while most > 0 and self._waits:
            try:
                self._waits.popleft().ring(True)
            except IndexError:
                # The last has given up.
                return
            most -= 1

    def end(self) -> None:
        """Nobody waits any more."""
        self._is_over = True
        self.make(len(self._waits))
