"""What a spool asks of the file system, and the names in its folder."""

from __future__ import annotations

import errno
import os
import re
import sys
from typing import List, NamedTuple, Sequence, Tuple

if sys.platform == "darwin":
    import fcntl

DEAD_LETTERS = "dead-letter.jsonl"
"""The file of dead letters."""


class FileState(NamedTuple):
    """What is known of a file."""

    identity: Tuple[int, int]
    size: int
    modified: float
    """Seconds since 1970."""


def _state(found: os.stat_result) -> FileState:
    return FileState((found.st_dev, found.st_ino), found.st_size, found.st_mtime)


class SpoolFiles:
    """The operations of the file system. A test may put its own in their place."""

    def make_folder(self, folder: str) -> None:
        """
        Makes the folder and those above it where they are missing; only its owner may enter it. Raises
        ``PermissionError`` where this process may not write to it.
        """
        os.makedirs(folder, mode=0o700, exist_ok=True)
        # By the rights that count for files, where the system can say.
        is_effective = os.access in os.supports_effective_ids
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK, effective_ids=is_effective):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)

    def names(self, folder: str) -> Sequence[str]:
        return sorted(os.listdir(folder))

    def create(self, path: str) -> int:
        """Makes a file that only its owner may read, for appending; `FileExistsError` where there is one."""
        return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)

    def open(self, path: str) -> int:
        return os.open(path, os.O_RDWR | os.O_APPEND)

    def write(self, file: int, data: bytes) -> None:
        """Appends all of it."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]

    def datasync(self, file: int) -> None:
        if sys.platform == "darwin":
            fcntl.fcntl(file, fcntl.F_FULLFSYNC)
        elif hasattr(os, "fdatasync"):
            os.fdatasync(file)
        else:
            os.fsync(file)

    def truncate(self, file: int, length: int) -> None:
        os.ftruncate(file, length)

    def state_of(self, file: int) -> FileState:
        return _state(os.fstat(file))

    def last_byte(self, file: int) -> bytes:
        size = os.fstat(file).st_size
        return os.pread(file, 1, size - 1) if size > 0 else b""

    def close(self, file: int) -> None:
        os.close(file)

    def stat(self, path: str) -> FileState:
        return _state(os.stat(path))

    def read(self, path: str) -> bytes:
        with open(path, "rb") as file:
            return file.read()

    def rename(self, path: str, to: str) -> None:
        os.rename(path, to)

    def unlink(self, path: str) -> None:
        os.unlink(path)

    def sync_folder(self, folder: str) -> None:
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)


class Owned(NamedTuple):
    """A file of an owner."""

    owner: str
    path: str


def new_owner() -> str:
    """A name for an owner that no other has: neither process ids nor their reuse matter."""
    return os.urandom(8).hex()


def segment_path(folder: str, owner: str, number: int) -> str:
    return os.path.join(folder, f"{owner}-{number:08d}.v1.log")


def requeue_path(folder: str, owner: str, number: int) -> str:
    return os.path.join(folder, f"dead-letter.{owner}-{number}.requeue")


def _owned(folder: str, names: Sequence[str], shape: str) -> List[Owned]:
    # Names of another shape are left alone: a later version may have them.
    found = ((name, re.fullmatch(shape, name, re.ASCII)) for name in sorted(names))
    return [Owned(match.group(1), os.path.join(folder, name)) for name, match in found if match]


def segments_among(folder: str, names: Sequence[str]) -> List[Owned]:
    """The segments among a folder's names, by owner, oldest first."""
    return _owned(folder, names, r"([0-9a-f]{16})-[0-9]{8}\.v1\.log")


def requeues_among(folder: str, names: Sequence[str]) -> List[Owned]:
    """The dead letters that are being put back, among a folder's names."""
    return _owned(folder, names, r"dead-letter\.([0-9a-f]{16})-[0-9]+\.requeue")


def locks_among(folder: str, names: Sequence[str]) -> List[Owned]:
    """The lock sockets among a folder's names."""
    return _owned(folder, names, r"([0-9a-f]{16})\.sock")
