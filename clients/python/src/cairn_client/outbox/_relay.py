"""Sends what an outbox holds."""

from __future__ import annotations

import json
import os
import threading
import time
import uuid
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from .._drain import Batch, Drain
from .._errors import CairnError
from .._events import Late, Outcome, PreparedEvent, Report
from .._http import Http
from .._limits import Retry
from .._sender import Sender
from .._tally import Tally
from ._database import Database
from ._tables import Statements

_RENEWALS = 4
"""How often a claim is prolonged within a lease."""


class OutboxRows:
    """
    The rows of an outbox, as one relay sees them. It claims rows for as long as the lease, by the database's
    clock, and another relay takes over those of one that is gone. At-least-once: between an answer of the
    service and the removal of its rows, or after a lease, an event is sent again with its key, and the
    service records it once.
    """

    def __init__(self, database: Database, statements: Statements, lease: float) -> None:
        self._database = database
        self._statements = statements
        self._lease = round(lease * 1000)
        self._renewal = lease / _RENEWALS
        self._relay = str(uuid.uuid4())
        # Rows that this relay has claimed, by their keys, and when the oldest of its claims was made.
        self._taken: Dict[str, int] = {}
        self._claimed_at = 0.0
        # Statements that failed after the service's answer: they come before the next claim.
        self._owed: List[Tuple[str, str]] = []

    def add(self, event: PreparedEvent, timeout: float, late: Optional[Late] = None) -> None:
        raise TypeError("events come into an outbox in transactions")

    def room(self, timeout: float) -> bool:
        return True

    def take(self, count: int, size: int) -> Sequence[PreparedEvent]:
        self._pay()
        self._renew()
        if not self._taken:
            self._claimed_at = time.monotonic()
        held = json.dumps(list(self._taken))
        values = {"relay": self._relay, "lease": self._lease, "count": count, "size": size, "held": held}
        rows = sorted(self._database.run(self._statements.claim, values), key=lambda row: int(row[0]))
        # Of two rows with one key the second waits: its fate may be another.
        events: List[PreparedEvent] = []
        second: List[int] = []
        for id_, key, event in rows:
            if key in self._taken:
                second.append(id_)
            else:
                self._taken[key] = id_
                events.append(PreparedEvent(key, event.encode()))
        self._give_back(second)
        return events

    def settle(self, outcomes: Sequence[Outcome]) -> None:
        gone: List[Any] = []
        refused: List[Any] = []
        for outcome in outcomes:
            id_ = self._taken.pop(outcome.key, None)
            if id_ is None:
                continue
            if outcome.refusal is None:
                gone.append([id_, outcome.key])
                continue
            why = outcome.refusal.as_json()
            if outcome.request_id is not None:
                why["request_id"] = outcome.request_id
            refused.append([id_, outcome.key, json.dumps(why)])
        if gone:
            self._owed.append((self._statements.remove, json.dumps(gone)))
        if refused:
            self._owed += [(statement, json.dumps(refused)) for statement in self._statements.refuse]
        try:
            self._pay()
        except Exception:
            # What the service said is settled all the same: it comes before the next claim, which fails now.
            pass

    def release(self, events: Sequence[PreparedEvent]) -> None:
        # Where that fails, the next claim has them again.
        found = [self._taken.pop(event.key, None) for event in events]
        self._give_back([id_ for id_ in found if id_ is not None])

    def size(self) -> int:
        return len(self._taken)

    def watch(self, listener: Callable[[], None]) -> None:
        pass

    def close(self) -> None:
        try:
            self._pay()
            self._give_back(list(self._taken.values()))
        finally:
            self._database.close()

    def abandon(self) -> None:
        """Leaves all to the other relays, at once."""
        self._database.end()

    def after_fork(self) -> None:
        """A relay is its process's; its threads and its connection are not there in a child."""

    def _pay(self) -> None:
        while self._owed:
            statement, rows = self._owed[0]
            self._database.run(statement, {"rows": rows})
            del self._owed[0]

    def _renew(self) -> None:
        """Prolongs the claims on what it has for longer, long before they end."""
        now = time.monotonic()
        if self._taken and now - self._claimed_at >= self._renewal:
            rows = json.dumps(list(self._taken.values()))
            values = {"relay": self._relay, "lease": self._lease, "rows": rows}
            self._database.run(self._statements.renew, values)
            self._claimed_at = now

    def _give_back(self, ids: Sequence[int]) -> None:
        if ids:
            self._database.run(self._statements.release, {"relay": self._relay, "rows": json.dumps(ids)})


class RelayCounters(NamedTuple):
    """What a relay has done since it was started."""

    queued: int = 0
    """Events that the service has newly recorded."""
    duplicates: int = 0
    """Events that it had already: sent by a relay that could not remove them any more."""
    refused: int = 0
    """Events that it refused, and that are in the table of refused events."""
    retries: int = 0
    """Requests that were to be repeated."""


class Relay:
    """
    Sends what an outbox holds, oldest first, in a thread, until it is closed. Start it after a fork. It does
    not keep its process running; `wait` does.
    """

    def __init__(
        self,
        rows: OutboxRows,
        http: Http,
        report: Callable[[CairnError, Report], None],
        poll: float,
        request_timeout: float,
        batch: Batch,
        retry: Retry,
    ) -> None:
        """An outbox makes it: ``outbox.relay(…)``."""
        self._tell = report
        self._tally = Tally()
        self._ended = threading.Event()
        self._pid = os.getpid()
        self._http = http
        self._rows = rows
        self._drain = Drain(
            rows, Sender(http), self._report, self._settled, batch, retry, request_timeout, poll
        )
        self._drain.notify()

    @property
    def _is_here(self) -> bool:
        """Whether this is its process, and no child of a fork, where its connection is the parent's."""
        return self._pid == os.getpid()

    @property
    def counters(self) -> RelayCounters:
        """What it has done so far."""
        return RelayCounters(**self._tally.read())

    def notify(self) -> None:
        """Says that a transaction was committed: its events are sent now and not at the next look."""
        if self._is_here:
            self._drain.notify()

    def flush(self, *, timeout: float = 10.0) -> None:
        """Sends what waits now. Returns once the outbox was empty, or after `timeout` seconds."""
        if self._is_here:
            self._drain.flush(timeout)

    def wait(self) -> None:
        """Returns once it is closed."""
        self._ended.wait()

    def close(self, *, timeout: float = 2.0) -> None:
        """
        Ends: sends what waits for at most `timeout` seconds, and gives back its claims. What waits stays in
        the outbox. Returns then also where the database or the service does not answer; its claims then end
        by themselves.
        """
        if self._ended.is_set() or not self._is_here:
            return
        try:
            self._drain.close(timeout)
        except Exception:
            # The database is away.
            pass
        finally:
            self._rows.abandon()
            self._http.connections.close()
            self._ended.set()

    def __enter__(self) -> "Relay":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _settled(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            self._tally.add("duplicates" if outcome.status == "duplicate" else outcome.status)

    def _report(self, error: CairnError, report: Report) -> None:
        if report.kind == "retry":
            self._tally.add("retries")
        self._tell(error, report)
