"""
One file of a spool, as its owner sees it. Events are appended to the owner's newest segment alone; marks,
which say what is settled, to any. Nothing else changes in a segment until it is unlinked.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Optional, Sequence

from .._events import PreparedEvent
from ._files import SpoolFiles
from ._lines import mark_line, read_segment


class Entry:
    """An event in a spool."""

    __slots__ = ("event", "segment", "is_settled")

    def __init__(self, event: PreparedEvent, segment: "Segment") -> None:
        self.event = event
        self.segment = segment
        self.is_settled = False


class Segment:
    def __init__(self, files: SpoolFiles, path: str, length: int, file: Optional[int] = None) -> None:
        """A segment that is there already; with `file`, one that was made for appending."""
        self._files = files
        self.path = path
        self.length = length
        """Bytes that are confirmed, or were there when it was adopted."""
        self._file = file
        self.is_writable = file is not None
        """Whether it may get further events."""
        self._entries: Optional[List[Entry]] = None if file is None else []
        # How many of its events are not settled; `None` where nobody has looked yet.
        self._unsettled: Optional[int] = None if file is None else 0
        self._first = 0
        self._has_torn_end = False
        self.damaged: Sequence[str] = ()
        """Lines that cannot be read, as far as it was read."""

    @staticmethod
    def create(files: SpoolFiles, folder: str, path: str) -> "Segment":
        """A new segment, whose name is on the disk when this returns."""
        file = files.create(path)
        try:
            files.sync_folder(folder)
        except OSError:
            files.close(file)
            try:
                files.unlink(path)
            except OSError:
                pass
            raise
        return Segment(files, path, 0, file)

    @property
    def unsettled(self) -> int:
        """How many of its events are not settled; 0 where nobody has looked yet."""
        return self._unsettled or 0

    @property
    def is_settled(self) -> bool:
        """Whether all of its events are settled."""
        return self._unsettled == 0

    def left(self) -> Iterator[Entry]:
        """Its events that are not settled, oldest first, as far as they are in memory."""
        entries = self._entries or []
        while self._first < len(entries) and entries[self._first].is_settled:
            self._first += 1
        for at in range(self._first, len(entries)):
            if not entries[at].is_settled:
                yield entries[at]

    def append(self, lines: bytes) -> None:
        """
        Appends events, and returns once they are on the disk. What fails leaves the segment as it was, or,
        where the disk does not even allow that, as one that gets no further events.
        """
        file = self._open()
        # Until it is known how far it goes, whatever interrupts this.
        self.is_writable = False
        try:
            self._files.write(file, lines)
        except BaseException:
            self.is_writable = self._undo(file)
            raise
        try:
            self._files.datasync(file)
        except BaseException:
            # The system may have given up pages that it could not write: a later success would mean nothing.
            self._undo(file)
            raise
        self.length += len(lines)
        self.is_writable = True

    def enter(self, events: Sequence[PreparedEvent]) -> None:
        """Takes events in, after `append` has written them."""
        entries = [Entry(event, self) for event in events]
        # Interrupted between these two, it is not removed before it is counted again.
        self._unsettled = self.unsettled + len(events)
        if self._entries is not None:
            self._entries += entries

    def take_over(self, entries: Sequence[Entry]) -> None:
        """Takes in entries of a segment that is gone, after `append` has written them."""
        self._unsettled = self.unsettled + len(entries)
        if self._entries is not None:
            self._entries += entries
        for entry in entries:
            entry.segment = self

    def is_in_place(self) -> bool:
        """Whether its path still leads to it: nobody has adopted or removed it."""
        own = self._files.state_of(self._open()).identity
        try:
            return self._files.stat(self.path).identity == own
        except OSError:
            return False

    def seal(self) -> None:
        """Gets no further events."""
        self.is_writable = False
        self.close()

    def load(self) -> None:
        """Reads its events, unless they are in memory. `FileNotFoundError` where somebody else has it."""
        if self._entries is not None:
            return
        data = self._files.read(self.path)
        waiting, self.damaged, self.length = read_segment(data)
        entries = [Entry(event, self) for event in waiting]
        self._first = 0
        self._unsettled = len(waiting)
        self._has_torn_end = self.length < len(data)
        self._entries = entries

    def unload(self) -> None:
        """Leaves its events to the disk, where none of them is settled. None may be on its way."""
        if self._entries is not None and not any(entry.is_settled for entry in self._entries):
            self._entries = None

    def settle(self, entries: Sequence[Entry]) -> Sequence[str]:
        """
        Says that entries are settled. The keys that may be marked: a mark settles all events with its key,
        and is therefore not written while one of them waits.
        """
        keys: Dict[str, None] = {}
        for entry in entries:
            entry.is_settled = True
            keys[entry.event.key] = None
        if self._entries is None:
            return []
        unsettled = 0
        for entry in self.left():
            unsettled += 1
            keys.pop(entry.event.key, None)
        self._unsettled = unsettled
        return list(keys)

    def mark(self, keys: Sequence[str]) -> None:
        """Writes which events are settled. A mark that is lost makes them be sent again: harmless."""
        try:
            file = self._open()
            # If the process that wrote that end lives, it notices that the segment was adopted.
            if self._has_torn_end and not self._undo(file):
                return
            line = mark_line(keys)
            try:
                self._files.write(file, line)
                self.length += len(line)
            except OSError:
                if not self._undo(file):
                    self.is_writable = False
        except OSError:
            # It is somebody else's, or cannot be opened.
            pass

    def remove(self) -> None:
        """Removes it; a process that has adopted it keeps it."""
        self.close()
        self._files.unlink(self.path)

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            self._files.close(file)

    def _open(self) -> int:
        if self._file is None:
            self._file = self._files.open(self.path)
        return self._file

    def _undo(self, file: int) -> bool:
        """Cuts off what a failed write has left. Whether it could."""
        try:
            self._files.truncate(file, self.length)
            self._has_torn_end = False
        except OSError:
            self._has_torn_end = True
        return not self._has_torn_end
