"""How events wait for the disk. What interrupts a thread may add one, too, wherever it is in here."""

from __future__ import annotations

import threading
from collections import deque
from typing import Callable, Deque, Dict, List, Optional, Sequence, Set

from .._bell import Bell
from .._errors import CairnError, QueueFullError
from .._events import Late, PreparedEvent

_GROUP_BYTES = 1024 * 1024
"""Most bytes of one group commit, unless one event has more."""
_UNKNOWN = Exception()


class Exclusive:
    """
    A lock that its thread may take again, and that knows whether the caller has it. Take its `lock` in a
    `with`: each end of that is one step of the interpreter, which nothing interrupts.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._is_owned: Callable[[], bool] = getattr(self.lock, "_is_owned")

    @property
    def is_mine(self) -> bool:
        """Whether the caller's thread has it."""
        return self._is_owned()


class Add:
    """An event that waits for its commit."""

    __slots__ = ("event", "size", "late", "cause", "done", "_claimed")

    def __init__(self, event: PreparedEvent, late: Optional[Late]) -> None:
        self.event = event
        self.size = len(event.data) + 10
        self.late = late
        self.cause: Optional[Exception] = _UNKNOWN
        """Why it is not on the disk; ``None`` where it is."""
        self.done = Bell()
        """Rings once that is known."""
        self._claimed: Dict[str, str] = {}

    @property
    def is_known(self) -> bool:
        """Whether `cause` says what became of it."""
        return self.cause is not _UNKNOWN

    def claim(self, by: str) -> bool:
        """
        Whether `by` was the first who asked: the `call`, which leaves then, or the `commit`, of which the
        call hears then.
        """
        return self._claimed.setdefault("by", by) == by

    @property
    def error(self) -> Optional[CairnError]:
        """Why it is not on the disk, in an error of its own: that is going to have the event's key."""
        if self.cause is None:
            return None
        if isinstance(self.cause, QueueFullError):
            return QueueFullError(str(self.cause))
        error = CairnError(f"the spool could not keep the event: {self.cause}")
        error.__cause__ = self.cause
        return error


class Adds:
    """The events that wait for their commit, oldest first."""

    def __init__(self) -> None:
        self._waiting: Deque[Add] = deque()
        self._unknown: Set[Add] = set()
        # Those of which somebody is to hear whose call is over.
        self._late: Deque[Add] = deque()
        self._saying = Exclusive()
        self.reserved = 0
        """Bytes of those that wait, or more."""

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def unknown(self) -> int:
        """Events whose calls were over before it was known whether they are kept."""
        return len(self._unknown)

    def put(self, add: Add) -> None:
        self.reserved += add.size
        self._waiting.append(add)

    def withdraw(self, add: Add) -> bool:
        """Takes it out; ``False`` where it is being kept."""
        try:
            self._waiting.remove(add)
            return True
        except ValueError:
            return False

    def leaves(self, add: Add) -> bool:
        """Whether its call ends before anything is known; it is said late then."""
        self._unknown.add(add)
        if not add.is_known and add.claim("call"):
            return True
        self._unknown.discard(add)
        return False

    def abandon(self, add: Add) -> None:
        """Its call was interrupted, and hears nothing any more: it is said late."""
        if not add.claim("call"):
            self._late.append(add)
            self._unknown.discard(add)

    def next_group(
        self, group: List[Add], has_room: Callable[[int], bool], no_room: Callable[[], QueueFullError]
    ) -> None:
        """Moves those into `group` that one commit is to write. Tells those for which there is no room."""
        size = 0
        while self._waiting:
            try:
                add = self._waiting[0]
            except IndexError:
                return
            if group and size + add.size > _GROUP_BYTES:
                return
            group.append(add)
            is_waiting = self.withdraw(add)
            if is_waiting and has_room(size + add.size):
                size += add.size
                continue
            if is_waiting:
                self.tell(add, no_room())
            group.pop()

    def tell(self, add: Add, cause: Optional[Exception]) -> None:
        """Says what became of it to its call, or, where that is over, lets it be said late."""
        add.cause = cause
        add.done.ring()
        if not add.claim("commit"):
            self._late.append(add)
            self._unknown.discard(add)

    def put_back(self, group: Sequence[Add]) -> None:
        """Their commit was interrupted: what is not known yet waits again."""
        for add in reversed(group):
            if add.is_known:
                self.tell(add, add.cause)
            elif add not in self._waiting:
                self._waiting.appendleft(add)

    def count(self) -> None:
        """Counts again what is reserved."""
        self.reserved = sum(add.size for add in list(self._waiting))

    def say_late(self) -> bool:
        """Says what became of those whose calls are over, each once. Whether any of them is kept."""
        is_kept = False
        # What interrupts this has it said soon.
        if self._saying.is_mine:
            return is_kept
        with self._saying.lock:
            while self._late:
                add = self._late[0]
                is_kept = is_kept or add.cause is None
                if add.late is not None:
                    add.late(add.error)
                    add.late = None
                self._late.popleft()
        return is_kept
