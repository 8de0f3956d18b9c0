"""Puts dead letters back into the queue."""

from __future__ import annotations

import os
from typing import Callable, List, Optional, Tuple

from .._events import PreparedEvent
from .._prepare import to_json
from ._adding import Exclusive
from ._files import DEAD_LETTERS, SpoolFiles, requeue_path, requeues_among
from ._letters import DeadLetter, DeadLetters, letter_lines
from ._lock import is_dead


class Requeue:
    """One call that puts them back."""

    def __init__(
        self,
        files: SpoolFiles,
        folder: str,
        owner: str,
        disk: Exclusive,
        letters: DeadLetters,
        add: Callable[[PreparedEvent], bool],
    ) -> None:
        """`add`: whether an event waits, on the disk."""
        self._files, self._folder, self._owner = files, folder, owner
        self._disk, self._letters, self._add = disk, letters, add
        self._failure: Optional[OSError] = None

    def run(self) -> Tuple[int, int]:
        """
        How many are put back, and how many lines stay. A letter leaves its file once its event is on the disk
        as one that waits; a line that stays does so once it is in the file of dead letters again. What cannot
        be opened stays where it is, and costs the others nothing: the error comes after them.
        """
        requeued = left = 0
        with self._disk.lock:
            claimed = self._claim()
        for path in claimed:
            try:
                lines = letter_lines(self._files.read(path))
            except FileNotFoundError:
                # Somebody has taken this owner for dead, and puts them back.
                continue
            kept = [line for line, letter in lines if not self._put_back(letter)]
            with self._disk.lock:
                self._letters.put_back(kept)
                try:
                    self._files.unlink(path)
                except FileNotFoundError:
                    pass
            requeued += len(lines) - len(kept)
            left += len(kept)
        if self._failure is not None:
            raise self._failure
        return requeued, left

    def _put_back(self, letter: Optional[DeadLetter]) -> bool:
        try:
            return self._add(_event_of(letter or {"key": None}))
        except ValueError:
            return False

    def _claim(self) -> List[str]:
        """The process that renames the file of letters has it. Also those that an owner that is gone had claimed."""
        found = requeues_among(self._folder, self._files.names(self._folder))
        claimed = [path for owner, path in found if owner == self._owner]
        others = [path for owner, path in found if owner != self._owner and is_dead(self._folder, owner)]
        number = 0
        for path in [os.path.join(self._folder, DEAD_LETTERS), *others]:
            number += 1
            while requeue_path(self._folder, self._owner, number) in claimed:
                number += 1
            to = requeue_path(self._folder, self._owner, number)
            if self._claim_one(path, to):
                claimed.append(to)
        if claimed:
            self._files.sync_folder(self._folder)
        return claimed

    def _claim_one(self, path: str, to: str) -> bool:
        try:
            # What cannot be read keeps its name, for a process that can.
            self._files.close(self._files.open(path))
            self._files.rename(path, to)
            return True
        except FileNotFoundError:
            return False
        except OSError as error:
            self._failure = error
            return False


def _event_of(letter: DeadLetter) -> PreparedEvent:
    """The event of a letter, which a person may have mended."""
    event = letter.get("event")
    if letter["key"] is None or not isinstance(event, dict):
        raise ValueError("no event")
    own = event.get("idempotency_key")
    key = own if isinstance(own, str) and own else letter["key"]
    return PreparedEvent(key, to_json({**event, "idempotency_key": key}))
