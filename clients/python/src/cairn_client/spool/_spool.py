"""The queue of a client in files."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

from .._bell import Room
from .._ends import ended, outlive_forks
from .._errors import CairnError, CairnTimeoutError, ClosedError, QueueFullError
from .._events import Late, Outcome, PreparedEvent
from .._limits import seconds_of
from .._worker import Worker
from ._adding import Add, Adds, Exclusive
from ._files import SpoolFiles, new_owner
from ._letters import DeadLetter, DeadLetters, letter_time
from ._lock import OwnerLock
from ._requeue import Requeue
from ._segments import Segments

_MIB = 1024 * 1024
_LATE = "the disk has not confirmed the event in time"


class SpoolCounters(NamedTuple):
    """What a spool has seen since it was opened."""

    adopted: int
    """Files that were taken over from processes that are gone."""
    damaged: int
    """Records that could not be read; what is left of them goes to the dead letters."""
    dead_letters: int
    """Events in the dead letters."""
    dead_letters_dropped: int
    """Refused events for which the dead letters had no room."""
    left: int
    """Files of processes that are gone which this one may not read or rename, and leaves where they are."""


class Spool:
    """
    A queue in files, for ``Cairn(queue=Spool("/var/lib/shop/audit"))``. An event that was added is on the
    disk before ``enqueue`` returns, and is sent after a crash by the next process that opens the folder.

    All processes of a machine that use the folder may share it, those of the TypeScript client among them.
    """

    def __init__(
        self,
        folder: str,
        *,
        max_bytes: int = 256 * _MIB,
        max_dead_letter_bytes: int = 16 * _MIB,
        adopt_every: float = 30.0,
        files: Optional[SpoolFiles] = None,
    ) -> None:
        """
        ``max_bytes``: most bytes of this process's files. ``adopt_every``: in how many seconds it is looked
        for files of processes that are gone. Raises ``OSError`` where the folder cannot be used.
        """
        if not max_bytes >= _MIB:
            raise ValueError("max_bytes must be at least 1 MiB")
        seconds_of("adopt_every", adopt_every)
        self._files = SpoolFiles() if files is None else files
        self._files.make_folder(folder)
        self._folder = os.path.realpath(folder)
        try:
            self._files.sync_folder(os.path.dirname(self._folder))
        except OSError:
            pass
        self._max_bytes = max_bytes
        self._adopt_every = adopt_every
        self._listeners: List[Callable[[], None]] = []
        self._letters = DeadLetters(self._files, self._folder, max_dead_letter_bytes)
        self._worker = Worker("cairn-spool", self._work)
        self._new()
        self._open()
        outlive_forks(self)
        try:
            with self._disk.lock:
                self._adopt()
        except OSError:
            self.close()
            raise
        self._worker.poke(adopt_every)

    def _new(self) -> None:
        self._pid = os.getpid()
        self._owner = new_owner()
        # Operations on the disk, one at a time.
        self._disk = Exclusive()
        # Letters are put back by one call at a time.
        self._requeuing = Exclusive()
        self._closing = Exclusive()
        self._adds = Adds()
        self._room = Room()
        self._closed = False
        self._ended = False
        self._next_adoption = time.monotonic() + self._adopt_every
        self._parts: Optional[Tuple[OwnerLock, Segments]] = None

    def _open(self) -> Tuple[OwnerLock, Segments]:
        with self._disk.lock:
            if self._parts is None:
                lock = OwnerLock(self._files, self._folder, self._owner)
                segments = Segments(
                    self._files, self._folder, self._owner, lock, self._letters, self._max_bytes
                )
                self._parts = lock, segments
            return self._parts

    def _after_fork(self) -> None:
        self.after_fork()

    def after_fork(self) -> None:
        """A child of a fork is an owner of its own, once it adds something; the files are its parent's."""
        if self._pid == os.getpid():
            return
        parts, was_closed = self._parts, self._closed
        self._worker.after_fork()
        self._new()
        self._closed = was_closed
        if parts is not None:
            lock, segments = parts
            lock.forget()
            segments.forget()

    @property
    def counters(self) -> SpoolCounters:
        """What it has seen."""
        adopted = damaged = left = 0
        if self._parts is not None:
            segments = self._parts[1]
            adopted, damaged, left = segments.adopted, segments.damaged, segments.left
        return SpoolCounters(adopted, damaged, self._letters.kept, self._letters.dropped, left)

    def add(self, event: PreparedEvent, timeout: float, late: Optional[Late] = None) -> None:
        """
        Keeps an event, and returns once it is on the disk.

        ``late``: called where this has raised ``CairnTimeoutError``, or was interrupted, as soon as the disk
        has answered: with ``None`` where the event is kept, or with why it is not. It is called once, in a
        thread of the spool, and must not raise.
        """
        add = Add(event, late)
        # A first look, so that not too many wait for the disk; a commit keeps the bound.
        if not self._closed and not self._has_room(self._adds.reserved + add.size):
            raise self._no_room()
        error: Optional[CairnError] = None
        try:
            self._adds.put(add)
            if self._closed and self._adds.withdraw(add):
                error = ClosedError("the spool is closed")
            else:
                if not self._worker.poke():
                    self._worker.work_here(self._work)
                # The disk cannot confirm to what has interrupted it.
                add.done.wait(0.0 if self._is_within else timeout)
                is_late = self._adds.leaves(add)
                error = CairnTimeoutError(_LATE) if is_late else add.error
        except BaseException:
            self._adds.abandon(add)
            self._worker.poke()
            raise
        if error is not None:
            raise error

    def _has_room(self, size: int) -> bool:
        return (0 if self._parts is None else self._parts[1].size) + size <= self._max_bytes

    def _no_room(self) -> QueueFullError:
        self._room.is_full = True
        return QueueFullError(f"the spool has {self._max_bytes} bytes and no room for another event")

    def room(self, timeout: float) -> bool:
        """Waits until there may be room again, for at most `timeout` seconds. Whether there may be."""
        return self._room.wait(timeout)

    def take(self, count: int, size: int) -> Sequence[PreparedEvent]:
        """The oldest events that wait."""
        if self._parts is None:
            return []
        segments = self._parts[1]
        before = segments.taken
        try:
            with self._disk.lock:
                taken = segments.take(count, size)
            return taken
        except BaseException:
            # Who is interrupted has none of them.
            segments.taken = before
            raise

    def settle(self, outcomes: Sequence[Outcome]) -> None:
        """Removes events that were taken; refused ones are in the dead letters before."""
        if self._parts is None:
            return
        segments = self._parts[1]
        try:
            with self._disk.lock:
                before = segments.size
                refused = [outcome for outcome in outcomes if outcome.status == "refused"]
                segments.settle([outcome.key for outcome in outcomes if outcome.status != "refused"])
                self._letters.append(self._refusals(segments, refused))
                segments.settle([outcome.key for outcome in refused])
                if segments.size < before:
                    self._free(segments)
        finally:
            # Where something failed, they wait again.
            segments.release([outcome.key for outcome in outcomes])

    def release(self, events: Sequence[PreparedEvent]) -> None:
        """Gives events back that were taken. Does not wait for the disk."""
        if self._parts is not None:
            self._parts[1].release([event.key for event in events])

    def size(self) -> int:
        """How many events wait, those included of which the disk has not said in time that it has them."""
        return (0 if self._parts is None else self._parts[1].unsettled) + self._adds.unknown

    def watch(self, listener: Callable[[], None]) -> None:
        """Calls `listener` when files were taken over, and when the disk has kept an event late."""
        self._listeners.append(listener)

    def _say_changed(self) -> None:
        for listener in self._listeners:
            listener()

    def close(self) -> None:
        """Ends; what waits stays for the next process. Waits for a disk that is late."""
        # What interrupts it has it closed soon.
        if self._closing.is_mine:
            return
        with self._closing.lock:
            if self._ended:
                return
            self._closed = True
            self._room.end()
            self._worker.end(10.0)
            self._commit_all()
            with self._disk.lock:
                # What came meanwhile.
                while self._adds:
                    self._commit_next()
                if self._parts is not None:
                    lock, segments = self._parts
                    segments.close()
                    lock.release()
                self._ended = True
            self._adds.say_late()
        ended(self)

    def requeue(self, *, timeout: float = 10.0) -> Tuple[int, int]:
        """
        Puts the dead letters back into the queue: how many, and how many lines stay because there was no room
        or they hold no event. A letter leaves its file once its event is on the disk as one that waits.
        Killed within: the next who asks goes on, and what is twice in the queue is recorded once. Raises
        ``OSError`` for a file that cannot be read, after it has put the others back.

        A call that interrupts another, or the spool's own work, such as one by a finalizer, moves nothing.
        """
        if self._requeuing.is_mine or self._is_within:
            return 0, 0

        def add(event: PreparedEvent) -> bool:
            try:
                self.add(event, timeout)
                return True
            except CairnError:
                return False

        try:
            with self._requeuing.lock:
                self._open()
                parts = self._files, self._folder, self._owner, self._disk, self._letters
                moved = Requeue(*parts, add).run()
            return moved
        finally:
            self._say_changed()

    @property
    def _is_within(self) -> bool:
        """Whether the caller has interrupted the spool's own work, which goes on only after it."""
        return self._disk.is_mine or self._worker.is_here

    def _work(self) -> None:
        self._commit_all()
        now = time.monotonic()
        if now >= self._next_adoption and not self._closed:
            self._next_adoption = now + self._adopt_every
            try:
                with self._disk.lock:
                    if self._parts is not None and not self._ended:
                        self._parts[0].keep()
                        self._adopt()
            except (OSError, CairnError):
                # `add` and `take` report a disk that fails.
                pass
        self._worker.poke(max(0.0, self._next_adoption - time.monotonic()))

    def _adopt(self) -> None:
        _, segments = self._open()
        adopted = segments.adopt()
        for segment in adopted:
            try:
                segments.count(segment)
            except OSError:
                # What cannot be read now is read when it is taken.
                pass
        if adopted:
            segments.clean()
            self._say_changed()

    def _commit_all(self) -> None:
        while self._adds:
            self._commit_next()
            self._say_late()
        self._say_late()

    def _say_late(self) -> None:
        # Not while the disk is held: it may take its time.
        if self._adds.say_late():
            self._say_changed()

    def _commit_next(self) -> None:
        """One write and one sync for all that wait."""
        group: List[Add] = []
        with self._disk.lock:
            try:
                self._adds.next_group(group, self._has_room, self._no_room)
                cause = self._written(group)
                for add in group:
                    self._adds.tell(add, cause)
            except BaseException:
                self._adds.put_back(group)
                raise
            finally:
                self._adds.count()

    def _written(self, group: Sequence[Add]) -> Optional[Exception]:
        """Why they are not on the disk."""
        try:
            if group:
                self._open()[1].append([add.event for add in group])
            return None
        except Exception as error:
            return error

    def _refusals(self, segments: Segments, refused: Sequence[Outcome]) -> Sequence[DeadLetter]:
        """The letters of refused events."""
        letters: List[DeadLetter] = []
        now = letter_time()
        for outcome in refused:
            entry = segments.taken.get(outcome.key)
            if entry is not None:
                letter: DeadLetter = {"time": now, "key": outcome.key}
                if outcome.request_id is not None:
                    letter["request_id"] = outcome.request_id
                letter["refusal"] = None if outcome.refusal is None else outcome.refusal.as_json()
                letter["event"] = json.loads(entry.event.data)
                letters.append(letter)
        return letters

    def _free(self, segments: Segments) -> None:
        # How many of them it is room for is not known.
        self._room.make(sys.maxsize)
        if segments.has_left_some and segments.size < self._max_bytes / 4:
            try:
                self._adopt()
            except OSError:
                pass
