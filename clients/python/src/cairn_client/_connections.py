"""Connections that are kept for the next request."""

from __future__ import annotations

# The codec of host names is imported where it is first used: in a thread, which a fork may stop there.
import encodings.idna  # noqa: F401
import io
import os
import select
import socket
import ssl
import threading
import time
import weakref
from collections import deque
from functools import partial
from typing import Any, Deque, List, Optional, Tuple

from ._bell import Bell
from ._limits import Limits

_MOST_IDLE = 8
_IDLE_SECONDS = 30.0

Origin = Tuple[str, str, int]
"""Scheme, host and port."""


class Raw(io.RawIOBase):
    """A socket that is read until the call's time is over, however slowly the peer sends."""

    def __init__(self, sock: socket.socket, limits: Limits) -> None:
        self._sock = sock
        self._limits = limits

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(self._limits.check())
        return self._sock.recv_into(buffer)

    def makefile(self, *_: Any) -> io.BufferedReader:
        """As ``http.client`` opens a socket."""
        return io.BufferedReader(self, 65536)


def shut(sock: socket.socket) -> None:
    """Wakes the thread that reads or writes."""
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def _resolve(host: str, port: int, limits: Limits) -> List[Any]:
    """The addresses of a host. The system's look-up knows no time limit, so a thread waits for it."""
    done = Bell()

    def ask() -> None:
        try:
            done.ring(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as error:
            done.ring(error)

    try:
        socket.inet_pton(socket.AF_INET6 if ":" in host else socket.AF_INET, host)
        ask()
    except OSError:
        try:
            threading.Thread(target=ask, name="cairn-resolve", daemon=True).start()
        except RuntimeError:
            # The interpreter ends, and starts no threads any more.
            ask()
    unhook = limits.cancel.on_set(done.ring)
    try:
        found = done.wait(limits.check())
    finally:
        unhook()
    limits.check()
    if isinstance(found, Exception):
        raise found
    addresses: List[Any] = found
    return addresses


class Connections:
    """Connections, by origin. Proxies are not used, whatever the environment says."""

    def __init__(self, context: Optional[ssl.SSLContext] = None) -> None:
        self._context = context
        self.rest = 1.0
        """After how many idle seconds a connection that turns out to be cut was closed for its rest."""
        # From the oldest on. Without a lock: what interrupts a thread may come here again, or raise.
        self._idle: Deque[Tuple[float, Origin, socket.socket]] = deque()
        self._open: "weakref.WeakSet[socket.socket]" = weakref.WeakSet()
        self.after_fork()

    def after_fork(self) -> None:
        """The parent's connections are the parent's, those in use too."""
        for sock in list(self._open):
            sock.close()
        self._open = weakref.WeakSet()
        self._idle = deque()
        self._pid = os.getpid()

    def kept(self, origin: Origin) -> Optional[Tuple[socket.socket, bool]]:
        """A kept connection that the peer has not closed as far as is known here, and whether it rested."""
        if self._pid != os.getpid():
            self.after_fork()
        while True:
            found = next((each for each in reversed(list(self._idle)) if each[1] == origin), None)
            if found is None:
                return None
            try:
                self._idle.remove(found)
            except ValueError:
                # Another has it.
                continue
            since, _, sock = found
            # Whatever it has to say now is no answer to a request.
            rest = time.monotonic() - since
            if rest < _IDLE_SECONDS and not _is_readable(sock):
                return sock, rest >= self.rest
            sock.close()

    def keep(self, origin: Origin, sock: socket.socket) -> None:
        if len(self._idle) < _MOST_IDLE and self._pid == os.getpid():
            self._idle.append((time.monotonic(), origin, sock))
        else:
            sock.close()

    def connect(self, origin: Origin, limits: Limits) -> socket.socket:
        scheme, host, port = origin
        failure: Optional[OSError] = None
        for family, kind, protocol, _, address in _resolve(host, port, limits):
            sock = socket.socket(family, kind, protocol)
            self._open.add(sock)
            unhook = limits.cancel.on_set(partial(shut, sock))
            try:
                sock.settimeout(limits.check())
                sock.connect(address)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return sock if scheme == "http" else self._secured(sock, host, limits)
            except OSError as error:
                sock.close()
                failure = error
                limits.check()
            except BaseException:
                sock.close()
                raise
            finally:
                unhook()
        raise failure if failure is not None else OSError(f"{host} has no address")

    def _secured(self, sock: socket.socket, host: str, limits: Limits) -> socket.socket:
        if self._context is None:
            self._context = ssl.create_default_context()
        sock.settimeout(limits.check())
        # The handshake is its own step, so that it is known whose the socket is whenever a fork comes.
        secured = self._context.wrap_socket(sock, server_hostname=host, do_handshake_on_connect=False)
        self._open.add(secured)
        try:
            secured.do_handshake()
        except BaseException:
            secured.close()
            raise
        return secured

    def close(self) -> None:
        idle, self._idle = self._idle, deque()
        for _, _, sock in idle:
            sock.close()


def _is_readable(sock: socket.socket) -> bool:
    try:
        if isinstance(sock, ssl.SSLSocket) and sock.pending():
            return True
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(sock, select.POLLIN)
            return bool(poll.poll(0))
        return bool(select.select([sock], [], [], 0)[0])
    except (OSError, ValueError):
        return True


def origin_of(scheme: str, host: str, port: Optional[int]) -> Origin:
    return scheme, host, port or (443 if scheme == "https" else 80)
