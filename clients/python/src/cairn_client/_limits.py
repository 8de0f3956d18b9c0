"""What ends a call early, and how long to wait before something is tried again."""

from __future__ import annotations

import random
import time
from typing import Any, Callable, Dict, NamedTuple, Optional

from ._bell import Bell, clamped
from ._errors import CairnApiError, CairnTimeoutError, ClosedError

LONGEST = 3600.0
"""The longest wait that a service can ask for, so that a wrong date does not stop anything."""


def seconds_of(name: str, value: float) -> float:
    """Raises ``TypeError`` for what is no number of seconds, with its name."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
        raise TypeError(f"{name} must be a number of seconds from 0 on")
    return value


def one_of(name: str, value: str, *allowed: str) -> str:
    """Raises ``TypeError`` for a word that is not allowed, with its name and those that are."""
    if value not in allowed:
        raise TypeError(f"{name} must be {' or '.join(allowed)}")
    return value


class Retry(NamedTuple):
    """The bounds of waiting, in seconds."""

    base: float = 0.2
    """The longest first wait; each further one may be twice as long."""
    most: float = 30.0
    """The longest wait, unless the service asks for a longer one."""


def backoff(failures: int, error: BaseException, retry: Retry) -> float:
    """
    Seconds before the next try after ``failures`` failures in a row (1 after the first): at random between
    half of the limit and the limit, which doubles, so that many clients do not come back at once. A
    ``Retry-After`` is a lower limit.
    """
    limit = min(retry.most, retry.base * 2.0 ** min(failures - 1, 30))
    asked = (error.retry_after or 0.0) if isinstance(error, CairnApiError) else 0.0
    spread = limit * (0.5 + random.random() / 2)
    return spread if asked == 0 else min(LONGEST, asked + spread / 10)


class Cancel:
    """
    Ends calls from another thread: what waits in them wakes up, and their sockets are shut. It has no lock
    that what interrupts a call could leave held.
    """

    def __init__(self) -> None:
        self.is_set = False
        self._hooks: Dict[object, Callable[[], Any]] = {}

    def set(self) -> None:
        self.is_set = True
        while self._hooks:
            try:
                _, hook = self._hooks.popitem()
            except KeyError:
                # Another thread has the last.
                return
            hook()

    def on_set(self, hook: Callable[[], Any]) -> Callable[[], None]:
        """Calls ``hook`` when it is set, at once if it is. The result takes that back."""
        place = object()
        self._hooks[place] = hook
        if self.is_set:
            self.set()

        def unhook() -> None:
            self._hooks.pop(place, None)

        return unhook

    def wait(self, seconds: float) -> bool:
        """Waits. Whether it was set."""
        bell = Bell()
        unhook = self.on_set(bell.ring)
        try:
            bell.wait(seconds)
        finally:
            unhook()
        return self.is_set


class Limits:
    """How long a call may take, and what ends it earlier."""

    def __init__(self, timeout: float, cancel: Optional[Cancel] = None) -> None:
        self._timeout = clamped(timeout)
        self._end = time.monotonic() + self._timeout
        self.cancel = Cancel() if cancel is None else cancel

    def left(self) -> float:
        """Seconds that are left, 0 or more."""
        return max(0.0, self._end - time.monotonic())

    def check(self) -> float:
        """Seconds that are left; raises where none is, or the call was ended."""
        if self.cancel.is_set:
            raise ClosedError("the call was ended")
        left = self.left()
        if left <= 0:
            raise CairnTimeoutError(f"no answer within {round(self._timeout * 1000)} ms")
        return left

    def pause(self, seconds: float) -> None:
        """Waits; raises where the call was ended."""
        if self.cancel.wait(seconds):
            raise ClosedError("the call was ended")
