"""
The segments of an owner: it appends to the newest, removes those whose events are all settled, and adopts
those of owners that are gone. Its methods run one at a time.

Killed between any two steps, each event that was confirmed is in exactly one file, which its owner or an
adopter sends; what had been sent already is sent again, and the service knows it by its key.
"""

from __future__ import annotations

import time
from typing import Dict, List, Optional, Sequence, Tuple

from .._errors import CairnError
from .._events import PreparedEvent
from ._files import SpoolFiles, locks_among, segment_path, segments_among
from ._letters import DeadLetters, damaged_letter
from ._lines import event_line
from ._lock import OwnerLock, is_dead, lock_places
from ._segment import Entry, Segment

_SEGMENT_BYTES = 4 * 1024 * 1024
"""Most bytes of a segment before the next is begun, where the spool is large enough."""
_STALE_SECONDS = 60.0
"""How old a socket is before one that refuses is removed: it does between bind and listen, too."""


def _lines_of(events: Sequence[PreparedEvent]) -> bytes:
    return b"".join(event_line(event) for event in events)


class Segments:
    def __init__(
        self,
        files: SpoolFiles,
        folder: str,
        owner: str,
        lock: OwnerLock,
        letters: DeadLetters,
        max_bytes: int,
    ) -> None:
        """`folder` is a real path."""
        self._files, self._folder, self._owner, self._lock = files, folder, owner, lock
        self._letters = letters
        self._max_bytes = max_bytes
        self._segment_bytes = min(_SEGMENT_BYTES, max_bytes // 16)
        # Oldest first, the one that is written last. Replaced, never changed: other threads look at it.
        self._all: Tuple[Segment, ...] = ()
        # Those whose file somebody has removed, and whose events are to be written again.
        self._lost: Tuple[Segment, ...] = ()
        self.taken: Dict[str, Entry] = {}
        """Those on their way, by their keys. Replaced, never changed."""
        self._number = 0
        self.adopted = 0
        """Segments that were adopted."""
        self.damaged = 0
        """Records that could not be read."""
        self.has_left_some = False
        """Whether an owner that is gone has left more than there was room for."""
        self.left = 0
        """Segments of owners that are gone which this process may not have, such as those of another user."""

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return sum(segment.length for segment in self._all)

    @property
    def unsettled(self) -> int:
        """Events that are not settled."""
        return sum(segment.unsettled for segment in self._all)

    def append(self, events: Sequence[PreparedEvent]) -> None:
        """Appends events, and returns once they are on the disk, under a name that is this owner's."""
        lines = _lines_of(events)
        for _ in range(3):
            segment = self._newest()
            homeless = [entry for lost in self._lost for entry in lost.left()]
            segment.append(_lines_of([entry.event for entry in homeless]) + lines)
            # A process that adopts it after this finds the events in it.
            if segment.is_in_place():
                segment.take_over(homeless)
                self._forget(self._lost)
                segment.enter(events)
                return
            # Its events stay in memory.
            segment.seal()
            self._lost = (*self._lost, segment)
            self._lock.keep()
        raise CairnError("files of the spool are removed again and again")

    def take(self, count: int, size: int) -> Sequence[PreparedEvent]:
        """The oldest events that wait. Raises where all that wait cannot be read."""
        found = self._oldest(count, size)
        self.taken = {**self.taken, **found}
        return [entry.event for entry in found.values()]

    def _oldest(self, count: int, size: int) -> Dict[str, Entry]:
        found: Dict[str, Entry] = {}
        failure: Optional[OSError] = None
        for segment in self._all:
            if segment.is_settled:
                continue
            try:
                if not self._load(segment):
                    continue
            except OSError as error:
                failure = error
                continue
            for entry in segment.left():
                key = entry.event.key
                # Of two events with one key the second waits: its fate may be another.
                if key in found or self._is_on_its_way(key):
                    continue
                size -= len(entry.event.data)
                if found and (len(found) >= count or size < 0):
                    return found
                found[key] = entry
        if not found and failure is not None:
            raise failure
        return found

    def _is_on_its_way(self, key: str) -> bool:
        entry = self.taken.get(key)
        return entry is not None and not entry.is_settled

    def settle(self, keys: Sequence[str]) -> None:
        """
        Says that events on their way are settled: the service has them, or they are in the dead letters. They
        are to be released, too.
        """
        settled: Dict[Segment, List[Entry]] = {}
        for key in keys:
            entry = self.taken.get(key)
            if entry is not None:
                settled.setdefault(entry.segment, []).append(entry)
        for segment, entries in settled.items():
            marked = segment.settle(entries)
            if marked and not self._is_removable(segment):
                segment.mark(marked)
        self.clean()

    def release(self, keys: Sequence[str]) -> None:
        """Forgets that events are on their way: those that are not settled wait again. At any moment."""
        gone = set(keys)
        self.taken = {key: entry for key, entry in self.taken.items() if key not in gone}

    def clean(self) -> None:
        """Removes segments whose events are all settled. What cannot be removed is tried again next time."""
        removed: List[Segment] = []
        for segment in self._all:
            if not self._is_removable(segment):
                continue
            try:
                self._letters.append([damaged_letter(line) for line in segment.damaged])
                try:
                    segment.remove()
                except FileNotFoundError:
                    pass
                removed.append(segment)
            except (OSError, CairnError):
                # Its events would be sent again, which is harmless; its damaged lines must not get lost.
                pass
        if removed:
            self._forget(removed)
            self._sync_folder()

    def adopt(self) -> Sequence[Segment]:
        """Takes over the segments of owners that are gone, as long as less than half of the room is used."""
        names = self._files.names(self._folder)
        found = segments_among(self._folder, names)
        others = dict.fromkeys(segment.owner for segment in found if segment.owner != self._owner)
        adopted: List[Segment] = []
        self.has_left_some = False
        left = 0
        for other in others:
            if not is_dead(self._folder, other):
                continue
            is_left = False
            for owner, path in found:
                if owner != other:
                    continue
                try:
                    segment, fits = self._adopt_one(path)
                except OSError:
                    left += 1
                    continue
                is_left = is_left or not fits
                if segment is not None:
                    adopted.append(segment)
            self.has_left_some = self.has_left_some or is_left
            if not is_left:
                for place in lock_places(self._folder, other):
                    self._unlink(place)
        self.left = left
        self._remove_stale([lock for lock in locks_among(self._folder, names) if lock.owner not in others])
        if adopted:
            self._sync_folder()
        return adopted

    def _remove_stale(self, locks: Sequence[Tuple[str, str]]) -> None:
        for owner, path in locks:
            if owner == self._owner:
                continue
            try:
                is_old = time.time() - self._files.stat(path).modified >= _STALE_SECONDS
            except OSError:
                continue
            if is_old and is_dead(self._folder, owner):
                self._unlink(path)

    def count(self, segment: Segment) -> None:
        """Counts the events of a segment that was adopted."""
        self._load(segment)
        self._unload(segment)

    def close(self) -> None:
        """Ends: what is settled is removed, what is not stays for an adopter."""
        for segment in self._all:
            try:
                segment.seal()
            except OSError:
                pass
        self.clean()

    def forget(self) -> None:
        """Lets go of the files: they are the parent's."""
        for segment in (*self._all, *self._lost):
            segment.close()
        self._all = self._lost = ()

    def _newest(self) -> Segment:
        last = self._all[-1] if self._all else None
        if last is not None and last.is_writable:
            if last.length < self._segment_bytes:
                return last
            last.seal()
            self._unload(last)
        self.clean()
        self._number += 1
        path = segment_path(self._folder, self._owner, self._number)
        segment = Segment.create(self._files, self._folder, path)
        self._all = (*self._all, segment)
        return segment

    def _adopt_one(self, path: str) -> Tuple[Optional[Segment], bool]:
        """
        The segment, where it is this owner's now, and whether there was room. Raises where this process may
        not have it.
        """
        try:
            state = self._files.stat(path)
        except FileNotFoundError:
            return None, True
        if self.size > 0 and self.size + state.size > self._max_bytes / 2:
            return None, False
        self._number += 1
        to = segment_path(self._folder, self._owner, self._number)
        try:
            # What cannot be read keeps its name, for a process that can.
            self._files.close(self._files.open(path))
            # Of several who try, one succeeds.
            self._files.rename(path, to)
        except FileNotFoundError:
            return None, True
        segment = Segment(self._files, to, state.size)
        at = len(self._all) - 1 if self._all and self._all[-1].is_writable else len(self._all)
        self._all = (*self._all[:at], segment, *self._all[at:])
        self.adopted += 1
        return segment, True

    def _load(self, segment: Segment) -> bool:
        """Whether the segment is in memory; `False` where somebody else has it."""
        before = len(segment.damaged)
        try:
            segment.load()
        except FileNotFoundError:
            self._forget([segment])
            return False
        self.damaged += len(segment.damaged) - before
        return True

    def _unload(self, segment: Segment) -> None:
        """Leaves its events to the disk, where none is on its way."""
        if all(entry.segment is not segment for entry in self.taken.values()):
            segment.unload()

    def _is_removable(self, segment: Segment) -> bool:
        return segment.is_settled and (
            not segment.is_writable or segment.length >= self._segment_bytes / 16
        )

    def _forget(self, segments: Sequence[Segment]) -> None:
        self._all = tuple(segment for segment in self._all if segment not in segments)
        self._lost = tuple(segment for segment in self._lost if segment not in segments)

    def _sync_folder(self) -> None:
        try:
            self._files.sync_folder(self._folder)
        except OSError:
            pass

    def _unlink(self, path: str) -> None:
        try:
            self._files.unlink(path)
        except OSError:
            pass
