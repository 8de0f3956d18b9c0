"""Counts of what has become of events."""

from __future__ import annotations

import threading
from collections import Counter
from itertools import repeat
from typing import Dict


class Tally:
    """Counts by name, from any thread, and from what interrupts one: a signal's handler, a finalizer."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._counts: "Counter[str]" = Counter()

    def add(self, name: str, number: int = 1) -> None:
        with self._lock:
            # One step of the interpreter: what interrupts this thread does so before or after it.
            self._counts.update(repeat(name, number))

    def read(self) -> Dict[str, int]:
        with self._lock:
            return dict(self._counts)
