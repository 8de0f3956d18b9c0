"""One request and its answer, read with bounds, over connections that are kept."""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import time
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, TypeVar
from urllib.parse import urlencode, urljoin, urlsplit

from ._connections import Connections, Origin, Raw, origin_of, shut
from ._errors import CairnApiError, CairnConnectionError, CairnError, CairnTimeoutError
from ._limits import Limits
from ._redact import REDACTED

MAX_ANSWER_BYTES = 64 * 1024 * 1024
"""Most bytes of an answer that is read as JSON."""
MAX_MESSAGE = 2000
"""Most characters of a message that a peer sends, as an error repeats it."""
_CHUNK = 65536

A = TypeVar("A")


class Call(NamedTuple):
    """A request of the interface."""

    method: str
    path: str
    """From ``/api/v1`` on, its parts escaped."""
    query: Mapping[str, Any] = {}
    body: Optional[bytes] = None
    """A body of JSON."""
    may_repeat: bool = False
    """Whether it does no harm to send it twice, as on a kept connection that the peer closed just then."""
    is_text: bool = False
    """Whether the answer is text, and no JSON."""


NO_JSON = object()
"""A body that is no JSON."""


class Answer(NamedTuple):
    """A successful answer. ``body`` is what its JSON holds; ``None`` where it has none."""

    status: int
    headers: Mapping[str, str]
    body: Any


def _date_of(text: str) -> Optional[float]:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def _retry_after(headers: Mapping[str, str]) -> Optional[float]:
    """The seconds that a ``Retry-After`` asks for: seconds, or a date by the server's clock."""
    text = headers.get("retry-after", "")
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text.strip()):
        return float(text)
    until, now = _date_of(text), _date_of(headers.get("date", ""))
    return None if until is None else max(0.0, until - (time.time() if now is None else now))


class Stream:
    """An answer that is read piece by piece, such as an export's file. A context manager and an iterator."""

    def __init__(self, response: http.client.HTTPResponse, end: Callable[[bool], None]) -> None:
        self._response = response
        self._end: Optional[Callable[[bool], None]] = end
        self.status = response.status
        self.headers: Dict[str, str] = {name.lower(): value for name, value in response.getheaders()}

    def read(self, most: int = _CHUNK) -> bytes:
        """The next bytes, at most ``most``; empty at the end. Raises where the answer is cut."""
        if self._end is None:
            return b""
        piece = self._response.read(most)
        if not piece:
            left = self._response.length
            self.close(not left)
            if left:
                raise CairnConnectionError("the answer was cut")
        return piece

    def __iter__(self) -> Iterator[bytes]:
        while True:
            piece = self.read()
            if not piece:
                return
            yield piece

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self, is_whole: bool = False) -> None:
        """Ends it; the rest is not read."""
        end, self._end = self._end, None
        if end is not None:
            self._response.close()
            end(is_whole)


class Http:
    """Makes requests to one service."""

    def __init__(self, url: str, api_key: str, context: Optional[ssl.SSLContext] = None) -> None:
        """Raises ``TypeError`` for an address or key that cannot be used; its text does not hold the key."""
        try:
            parts = urlsplit(url)
            scheme, host, port = parts.scheme, parts.hostname, parts.port
            ok = isinstance(url, str) and scheme in ("http", "https") and bool(host) and url.isprintable()
        except (ValueError, AttributeError, TypeError):
            ok = False
        if not ok or " " in url:
            raise TypeError("url must be an absolute address, such as https://audit.example.com")
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise TypeError("url must have no user, password, query or fragment")
        if not isinstance(api_key, str) or not re.fullmatch(r"[\x21-\x7e]+", api_key):
            raise TypeError("api_key must be a text of visible ASCII characters without blanks")
        self._origin = origin_of(scheme, host or "", port)
        self._path = parts.path.rstrip("/")
        self._base = f"{scheme}://{parts.netloc}{self._path}"
        self._api_key = api_key
        self._secret = re.compile("".join(_forms_of(character) for character in api_key), re.IGNORECASE)
        self.connections = Connections(context)

    def json(self, call: Call, limits: Limits) -> Answer:
        """
        Sends a request and reads the answer as JSON. Raises ``CairnApiError`` where the service answers with
        an error, ``CairnConnectionError`` where no answer came or none that can be read,
        ``CairnTimeoutError`` and ``ClosedError`` as the limits say.
        """
        stream = self._send(call, f"{self._base}{call.path}", limits)
        if not 200 <= stream.status < 300:
            raise self._error_of(stream, limits)
        body = self._guarded(limits, lambda: _body_of(stream, call.is_text))
        if body is NO_JSON:
            raise CairnConnectionError("the answer is no JSON")
        return Answer(stream.status, stream.headers, body)

    def open(self, call: Call, limits: Limits) -> Stream:
        """
        Sends a request and gives the answer unread, once it is known to be a success. Redirects are followed,
        to another origin without the key.
        """
        url = f"{self._base}{call.path}"
        for _ in range(6):
            stream = self._send(call, url, limits)
            if 200 <= stream.status < 300:
                return stream
            place = stream.headers.get("location")
            if stream.status not in (301, 302, 303, 307, 308) or place is None:
                raise self._error_of(stream, limits)
            stream.close()
            url = urljoin(url, place)
            call = call._replace(query={})
        raise CairnConnectionError("the answer is a redirect, again and again")

    def _send(self, call: Call, url: str, limits: Limits) -> Stream:
        return self._guarded(limits, lambda: self._requested(call, url, limits))

    def _requested(self, call: Call, url: str, limits: Limits) -> Stream:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or not url.isascii():
            raise CairnConnectionError("the answer is a redirect to no address")
        origin = origin_of(parts.scheme, parts.hostname, parts.port)
        # Not a variable: error reporters send those along, and the request has the key.
        request = partial(self._bytes_of, call, url, origin)
        kept = self.connections.kept(origin) if call.may_repeat else None
        if kept is not None:
            sock, is_rested = kept
            try:
                return self._exchange(sock, origin, call, request, limits)
            except (OSError, http.client.HTTPException):
                # A peer closes connections that rest, perhaps just then. Any other cut is reported.
                limits.check()
                if not is_rested:
                    raise
        return self._exchange(self.connections.connect(origin, limits), origin, call, request, limits)

    def _bytes_of(self, call: Call, url: str, origin: Origin) -> bytes:
        parts = urlsplit(url)
        query = urlencode([(name, _text(one)) for name, value in call.query.items() for one in _values(value)])
        target = (parts.path or "/") + "".join(f"?{each}" for each in (parts.query, query) if each)
        headers = {
            "Host": parts.netloc.rpartition("@")[2],
            "User-Agent": "cairn-client-python",
            "Accept": "application/json",
        }
        if origin == self._origin:
            headers["Authorization"] = f"Bearer {self._api_key}"
        if call.body is not None:
            headers["Content-Type"] = "application/json"
        if call.body is not None or call.method != "GET":
            headers["Content-Length"] = str(len(call.body or b""))
        lines = [f"{call.method} {target} HTTP/1.1", *(f"{name}: {text}" for name, text in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode("ascii") + (call.body or b"")

    def _exchange(
        self, sock: socket.socket, origin: Origin, call: Call, request: Callable[[], bytes], limits: Limits
    ) -> Stream:
        unhook = limits.cancel.on_set(lambda: shut(sock))
        response = http.client.HTTPResponse(Raw(sock, limits), method=call.method)  # type: ignore[arg-type]

        def end(is_whole: bool) -> None:
            unhook()
            if is_whole and not response.will_close and not limits.cancel.is_set:
                self.connections.keep(origin, sock)
            else:
                sock.close()

        try:
            cut: Optional[OSError] = None
            try:
                sock.settimeout(limits.check())
                sock.sendall(request())
            except (BrokenPipeError, ConnectionResetError) as error:
                # A server that rejects a body need not read it; the answer may be there all the same.
                cut = error
            try:
                response.begin()
            except (OSError, http.client.HTTPException):
                if cut is not None:
                    raise cut
                raise
            return Stream(response, end)
        except BaseException:
            response.close()
            end(False)
            raise

    def _guarded(self, limits: Limits, use: Callable[[], A]) -> A:
        try:
            return use()
        except CairnError as error:
            # Where it came from are frames of others, which have the request with the key: not for reports.
            error.__context__ = None
            raise
        except (OSError, http.client.HTTPException, ValueError) as error:
            is_late = isinstance(error, socket.timeout)
            said = f"{type(error).__name__}: {error}"
        # Out of the reach of that error, which would be this one's context.
        limits.check()
        if is_late:
            raise CairnTimeoutError("no answer in time")
        masked = str(self.masked(f"the service was not reached: {said}"))
        raise CairnConnectionError(masked[:MAX_MESSAGE])

    def _error_of(self, stream: Stream, limits: Limits) -> CairnApiError:
        found = self.masked(self._guarded(limits, lambda: _body_of(stream, False)))
        body: Dict[str, Any] = found if isinstance(found, dict) else {}
        code, message = body.get("error"), body.get("message")
        # The service's codes are words; something between says "Bad Request".
        is_known = isinstance(code, str) and re.fullmatch("[a-z_]{1,64}", code) and isinstance(message, str)
        return CairnApiError(
            str(message)[:MAX_MESSAGE] if is_known else f"the answer is not the service's: status {stream.status}",
            code=str(code) if is_known else "unexpected_answer",
            status=stream.status,
            request_id=self.request_id(stream.headers),
            retry_after=_retry_after(stream.headers),
            body=body,
        )

    def request_id(self, headers: Mapping[str, str]) -> Optional[str]:
        """The id of a request in the service's log."""
        given = headers.get("x-request-id")
        return None if given is None else str(self.masked(given))[:200]

    def masked(self, value: Any) -> Any:
        """A value of JSON without the API key, wherever and however a peer has repeated it."""
        if isinstance(value, str):
            return self._secret.sub(REDACTED, value)
        if isinstance(value, list):
            return [self.masked(each) for each in value]
        if isinstance(value, dict):
            return {self.masked(name): self.masked(each) for name, each in value.items()}
        return value


def _forms_of(character: str) -> str:
    """A regular expression of a character as it is, in JSON, in an address and in HTML."""
    code = ord(character)
    plain = re.escape(character)
    return rf"(?:\\?{plain}|%{code:02x}|\\u{code:04x}|&#(?:{code}|x{code:x});)"


def _values(value: Any) -> Sequence[Any]:
    """What a parameter is given: nothing, one value, or several."""
    if value is None:
        return ()
    return value if isinstance(value, (list, tuple)) else (value,)


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _body_of(stream: Stream, is_text: bool) -> Any:
    """
    What an answer has to say. Its text, which may repeat the key, is in no variable of the function that raises then:
    error reporters send those along.
    """
    text = _read(stream)
    return text.decode("utf-8", "replace") if is_text else _parsed(text)


def _read(stream: Stream) -> bytes:
    pieces: List[bytes] = []
    size = 0
    with stream:
        for piece in stream:
            size += len(piece)
            if size > MAX_ANSWER_BYTES:
                raise CairnConnectionError(f"the answer has more than {MAX_ANSWER_BYTES} bytes")
            pieces.append(piece)
    return b"".join(pieces)


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return NO_JSON
