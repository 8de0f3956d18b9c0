"""
An owner's lock: a socket that it listens on for as long as it lives. The operating system closes it with the
process, however that ends, so that nobody has to guess from process ids or times who is still there.

It only saves work: an owner that is taken for dead while it lives notices that its segment was renamed, and
writes again.
"""

from __future__ import annotations

import errno
import os
import socket
from typing import List, Optional

from ._files import SpoolFiles

_MOST_BYTES = 103
"""Most bytes of a socket's path: 104 with the closing zero on macOS, 108 on Linux."""


def lock_places(folder: str, owner: str) -> List[str]:
    """Where an owner's socket may be, the best place first. `folder` is a real path."""
    # Not the folder for temporary files from the environment: other processes may have another there.
    elsewhere = f"/tmp/cairn-{owner}.sock"
    beside = os.path.join(folder, f"{owner}.sock")
    return [elsewhere] if len(os.fsencode(beside)) > _MOST_BYTES else [beside, elsewhere]


def _answers(path: str) -> bool:
    """Whether somebody listens there. An owner that cannot be asked is taken for alive."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
            asking.settimeout(1.0)
            asking.connect(path)
    except OSError as error:
        return error.errno not in (errno.ECONNREFUSED, errno.ENOENT)
    return True


def is_dead(folder: str, owner: str) -> bool:
    """Whether an owner is gone: nobody listens at any place where it would."""
    return not any(_answers(path) for path in lock_places(folder, owner))


class OwnerLock:
    """A lock that is held."""

    def __init__(self, files: SpoolFiles, folder: str, owner: str) -> None:
        """Raises where nothing can be listened on."""
        if not hasattr(socket, "AF_UNIX"):
            raise OSError("a spool needs Unix sockets")
        self._files = files
        self._places = lock_places(folder, owner)
        self._folder = folder
        self._owner = owner
        self._path = ""
        self._socket: Optional[socket.socket] = None
        self._open()

    def _open(self) -> None:
        failure: Optional[OSError] = None
        # Some file systems hold no sockets.
        for path in self._places:
            listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                listening.bind(path)
                listening.listen(128)
                listening.setblocking(False)
                self._path, self._socket = path, listening
                return
            except OSError as error:
                listening.close()
                failure = error
        raise failure if failure is not None else OSError("a spool needs Unix sockets")

    def keep(self) -> None:
        """Listens again where somebody removed the socket."""
        self._clear()
        if not is_dead(self._folder, self._owner):
            return
        if self._socket is not None:
            self._socket.close()
        # What is left of it would keep the new one away.
        for path in self._places:
            _unlink(self._files, path)
        self._open()

    def _clear(self) -> None:
        """Accepts who asked: the system keeps a number of them, and answers for this process."""
        while self._socket is not None:
            try:
                self._socket.accept()[0].close()
            except OSError:
                return

    def forget(self) -> None:
        """Lets go of it without removing it: it is the parent's."""
        if self._socket is not None:
            self._socket.close()

    def release(self) -> None:
        self.forget()
        _unlink(self._files, self._path)


def _unlink(files: SpoolFiles, path: str) -> None:
    try:
        files.unlink(path)
    except OSError:
        pass
