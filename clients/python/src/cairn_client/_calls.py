"""What the generated methods of ``_endpoints`` stand on."""

from __future__ import annotations

from typing import Any, AsyncIterator, Awaitable, Callable, Generic, Iterator, Mapping, Optional, TypeVar
from urllib.parse import quote

from ._errors import CairnApiError, CairnConnectionError
from ._http import Call, Http, Stream
from ._limits import Limits, Retry, backoff
from ._prepare import to_json

A = TypeVar("A")

TIMEOUT = 30.0
"""Most seconds of a call unless it says otherwise."""


def _may_repeat(method: str, error: Exception) -> bool:
    """
    Whether the same request may be sent again: one that the service did not take at all, and any that only
    reads. A change that was perhaps made is not made twice.
    """
    if isinstance(error, CairnApiError):
        return error.status == 429 or (method == "GET" and error.status in (502, 503, 504))
    return method == "GET" and isinstance(error, CairnConnectionError)


def _call_of(
    method: str, path: str, id: Optional[str], query: Mapping[str, Any], body: Any, is_text: bool
) -> Call:
    if "{id}" in path:
        # A path goes up at dots, to another endpoint.
        if not isinstance(id, str) or id in ("", ".", ".."):
            raise TypeError("id must be an id")
        path = path.replace("{id}", quote(id, safe=""))
    data = None if body is None else to_json(body)
    return Call(method, path, query, data, method == "GET", is_text)


class Caller:
    """Makes calls until they are answered, or may not be repeated, or their time is over."""

    def __init__(self, http: Http, retry: Retry) -> None:
        self._http = http
        self._retry = retry

    def _repeat(self, method: str, limits: Limits, once: Callable[[Limits], A]) -> A:
        failures = 0
        while True:
            try:
                return once(limits)
            except (CairnApiError, CairnConnectionError) as error:
                failures += 1
                wait = backoff(failures, error, self._retry)
                if not _may_repeat(method, error) or wait >= limits.left():
                    raise
                limits.pause(wait)

    def json(
        self,
        method: str,
        path: str,
        id: Optional[str] = None,
        query: Mapping[str, Any] = {},
        body: Any = None,
        is_text: bool = False,
        timeout: float = TIMEOUT,
        limits: Optional[Limits] = None,
    ) -> Any:
        call = _call_of(method, path, id, query, body, is_text)
        within = limits or Limits(timeout)
        return self._repeat(method, within, lambda limits: self._http.json(call, limits).body)

    def open(
        self,
        path: str,
        id: Optional[str],
        query: Mapping[str, Any],
        timeout: float,
        limits: Optional[Limits] = None,
    ) -> Stream:
        call = _call_of("GET", path, id, query, None, False)
        return self._repeat("GET", limits or Limits(timeout), lambda limits: self._http.open(call, limits))


def _next_of(page: Any, cursor: Optional[str]) -> Optional[str]:
    if not isinstance(page, dict) or not isinstance(page.get("data"), list):
        raise CairnConnectionError("the answer is no page of a list")
    pagination = page.get("pagination")
    found = pagination.get("next_cursor") if isinstance(pagination, dict) else None
    return found if isinstance(found, str) and found != cursor else None


def _asked(query: Mapping[str, Any], cursor: Optional[str]) -> Mapping[str, Any]:
    if cursor is None:
        return query
    return {**{name: value for name, value in query.items() if name != "cursor"}, "cursor": cursor}


class Pages(Generic[A]):
    """A list of the service: iterate over all of it, or ask for one page."""

    def __init__(self, read: Callable[[Optional[str]], Any]) -> None:
        self._read = read

    def page(self) -> Any:
        """The page that the query names: its ``data``, and ``pagination`` where there is more."""
        return self._read(None)

    def __iter__(self) -> Iterator[A]:
        cursor: Optional[str] = None
        while True:
            page = self._read(cursor)
            cursor = _next_of(page, cursor)
            yield from page["data"]
            if cursor is None:
                return


class AsyncPages(Generic[A]):
    """A list of the service: iterate over all of it with ``async for``, or ask for one page."""

    def __init__(self, read: Callable[[Optional[str]], Awaitable[Any]]) -> None:
        self._read = read

    async def page(self) -> Any:
        """The page that the query names: its ``data``, and ``pagination`` where there is more."""
        return await self._read(None)

    async def __aiter__(self) -> AsyncIterator[A]:
        cursor: Optional[str] = None
        while True:
            page = await self._read(cursor)
            cursor = _next_of(page, cursor)
            for each in page["data"]:
                yield each
            if cursor is None:
                return


class Group:
    """Calls about one kind of thing."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def _list(self, path: str, id: Optional[str], query: Mapping[str, Any], timeout: float) -> "Pages[Any]":
        def read(cursor: Optional[str]) -> Any:
            asked = _asked(query, cursor)
            return self._caller.json("GET", path, id, asked, timeout=timeout)

        return Pages(read)


Runner = Callable[[Callable[[], Any], Limits], Awaitable[Any]]
"""Runs a call in a thread, within its limits."""


class AsyncGroup:
    """Calls about one kind of thing, for asyncio."""

    def __init__(self, caller: Caller, run: Runner) -> None:
        self._caller = caller
        self._run = run

    async def _json(self, *given: Any, timeout: float = TIMEOUT, **named: Any) -> Any:
        # From now on, so that the wait for a thread counts, and a call that is cancelled ends its request.
        limits = Limits(timeout)
        named["limits"] = limits
        return await self._run(lambda: self._caller.json(*given, **named), limits)

    async def _open(self, path: str, id: Optional[str], query: Mapping[str, Any], timeout: float) -> Stream:
        limits = Limits(timeout)
        stream: Stream = await self._run(lambda: self._caller.open(path, id, query, timeout, limits), limits)
        return stream

    def _list(
        self, path: str, id: Optional[str], query: Mapping[str, Any], timeout: float
    ) -> "AsyncPages[Any]":
        async def read(cursor: Optional[str]) -> Any:
            asked = _asked(query, cursor)
            return await self._json("GET", path, id, asked, timeout=timeout)

        return AsyncPages(read)
