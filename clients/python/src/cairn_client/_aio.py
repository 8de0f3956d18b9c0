"""The client for asyncio."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Mapping, Optional, TypeVar

from ._calls import Caller
from ._client import Client
from ._endpoints import AsyncEndpoints
from ._limits import Cancel
from ._results import Enqueued, Recorded

A = TypeVar("A")


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

    async def _run(self, call: Callable[[], A], cancel: Optional[Cancel] = None) -> A:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(32, "cairn-async")
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, call)
        except asyncio.CancelledError:
            if cancel is not None:
                cancel.set()
            raise

    async def record(
        self, event: Mapping[str, Any], *, timeout: Optional[float] = None, failure: Optional[str] = None
    ) -> Recorded:
        """As :meth:`Cairn.record`."""
        # Key, time and context are the caller's, not those of the thread that sends.
        prepared, limits = self._prepared(event), self._limits(timeout, Cancel())
        return await self._run(lambda: self._recorded(prepared, limits, failure), limits.cancel)

    async def enqueue(
        self,
        event: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
        failure: Optional[str] = None,
        when_full: Optional[str] = None,
    ) -> Enqueued:
        """As :meth:`Cairn.enqueue`."""
        prepared, limits = self._prepared(event), self._limits(timeout, Cancel())
        return await self._run(lambda: self._enqueued(prepared, limits, failure, when_full), limits.cancel)

    async def flush(self, *, timeout: float = 10.0) -> int:
        """As :meth:`Cairn.flush`."""
        return await self._run(lambda: self._flushed(timeout))

    async def close(self, *, timeout: float = 10.0) -> int:
        """As :meth:`Cairn.close`."""
        waiting = await self._run(lambda: self._end(timeout))
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False)
        return waiting

    async def __aenter__(self) -> "AsyncCairn":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()
