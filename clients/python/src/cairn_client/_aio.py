"""The client for asyncio."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Mapping, Optional, TypeVar

from ._calls import Caller
from ._client import Client
from ._endpoints import AsyncEndpoints
from ._limits import Cancel, Limits
from ._results import Enqueued, Recorded

A = TypeVar("A")
_Time = Optional[float]
_Word = Optional[str]


def _silent(call: Callable[[], Any]) -> None:
    """A call whose result nobody waits for; what it has to say is reported."""
    try:
        call()
    except Exception:
        pass


async def _alone(call: Callable[[], A]) -> A:
    """A call in a thread of its own: the others may all be busy."""
    thread = ThreadPoolExecutor(1, "cairn-async")
    try:
        return await asyncio.get_running_loop().run_in_executor(thread, call)
    finally:
        thread.shutdown(wait=False)


class AsyncCairn(Client, AsyncEndpoints):
    """
    A client of one workspace, for asyncio. It takes what :class:`Cairn` takes::

        async with AsyncCairn("https://audit.example.com", api_key) as cairn:
            await cairn.record({"actor_id": "ada", "action": "invoice.paid", "resource_id": "42"})

    Calls run in threads of its own, at most 32; a call that is cancelled ends its request.
    """

    def __init__(self, url: str, api_key: str, **options: Any) -> None:
        self._threads: Optional[ThreadPoolExecutor] = None
        Client.__init__(self, url, api_key, **options)
        AsyncEndpoints.__init__(self, Caller(self._http, self._retry), self._run)

    def _after_fork(self) -> None:
        self._threads = None
        super()._after_fork()

    async def _run(self, call: Callable[[], A], limits: Limits) -> A:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(32, "cairn-async")
        begun = self._threads.submit(call)
        future = asyncio.wrap_future(begun)
        try:
            await asyncio.wait({future}, timeout=limits.left())
            if not future.done() and begun.cancel():
                # No thread was free within the limit. Now the call only says so, or keeps the event.
                return await _alone(call)
            return await future
        except asyncio.CancelledError:
            limits.cancel.set()
            is_waiting = begun.cancel()
            future.cancel()
            if is_waiting:
                # What has not begun keeps its event all the same.
                threading.Thread(target=_silent, args=(call,), name="cairn-async", daemon=True).start()
            raise

    async def record(
        self, event: Mapping[str, Any], *, timeout: Optional[float] = None, failure: Optional[str] = None
    ) -> Recorded:
        """As :meth:`Cairn.record`. An event whose call is cancelled goes on in the queue."""
        # Key, time and context are the caller's, not those of the thread that sends.
        prepared, limits = self._prepared(event), self._limits(timeout, Cancel())
        return await self._run(lambda: self._recorded(prepared, limits, failure), limits)

    async def enqueue(
        self, event: Mapping[str, Any], *, timeout: _Time = None, failure: _Word = None, when_full: _Word = None
    ) -> Enqueued:
        """As :meth:`Cairn.enqueue`."""
        prepared, limits = self._prepared(event), self._limits(timeout, Cancel())
        self._opens(failure)
        self._full(when_full)
        kept = self._put_at_once(prepared)
        if kept is not None:
            return kept
        return await self._run(lambda: self._enqueued(prepared, limits, failure, when_full), limits)

    async def flush(self, *, timeout: float = 10.0) -> int:
        """As :meth:`Cairn.flush`."""
        return await _alone(lambda: self._flushed(timeout))

    async def close(self, *, timeout: float = 10.0) -> int:
        """As :meth:`Cairn.close`."""
        waiting = await _alone(lambda: self._end(timeout))
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False)
        return waiting

    async def __aenter__(self) -> "AsyncCairn":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()
