"""Counts of what has become of events."""

from __future__ import annotations

from collections import Counter
from itertools import chain, repeat
from typing import Dict


class Tally:
    """
    Counts by name, from any thread, and from what interrupts one: a signal's handler, a finalizer. It has no
    lock that one which raises could leave held: each change is one step of the interpreter.
    """

    def __init__(self) -> None:
        self._counts: "Counter[str]" = Counter()

    def add(self, name: str, number: int = 1) -> None:
        self._counts.update(repeat(name, number))

    def read(self) -> Dict[str, int]:
        return dict(self._counts)


class Sum:
    """A sum of whole numbers from 0 on, as a tally counts."""

    def __init__(self) -> None:
        self._units: "Counter[int]" = Counter()

    def add(self, number: int) -> None:
        big, rest = divmod(number, 4096)
        self._units.update(chain(repeat(4096, big), repeat(64, rest // 64), repeat(1, rest % 64)))

    def read(self) -> int:
        return sum(unit * times for unit, times in dict(self._units).items())
