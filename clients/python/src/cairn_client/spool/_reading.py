"""Looks into a spool's folder without changing it."""

from __future__ import annotations

import os
from typing import List, NamedTuple, Sequence

from .._events import PreparedEvent
from ._files import DEAD_LETTERS, SpoolFiles, requeues_among, segments_among
from ._letters import DeadLetter, read_letters
from ._lines import read_segment


class SpoolContents(NamedTuple):
    """What is in a spool's folder, of all processes that share it."""

    waiting: Sequence[PreparedEvent]
    """The events that wait."""
    dead_letters: Sequence[DeadLetter]
    """The events that the service refused for good, and what is left of damaged records."""
    damaged: int
    """Records among those that wait which cannot be read."""


def read_spool(folder: str) -> SpoolContents:
    """Reads a spool's folder, also while processes write to it. It takes the memory of all that waits."""
    files = SpoolFiles()

    def read(path: str) -> bytes:
        try:
            return files.read(path)
        except FileNotFoundError:
            # Adopted or removed just now.
            return b""

    names = files.names(folder)
    waiting: List[PreparedEvent] = []
    damaged = 0
    for _, path in segments_among(folder, names):
        contents = read_segment(read(path))
        waiting.extend(contents.waiting)
        damaged += len(contents.damaged)
    letters = [path for _, path in requeues_among(folder, names)] + [os.path.join(folder, DEAD_LETTERS)]
    return SpoolContents(waiting, read_letters(b"\n".join(read(path) for path in letters)), damaged)
