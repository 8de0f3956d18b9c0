"""Events that the service refused for good: a file of JSON lines for a person, shared by all owners."""

from __future__ import annotations

import json
import os
import time
from datetime import datetime, timezone
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .._errors import CairnError
from .._prepare import rfc3339, to_json
from ._files import DEAD_LETTERS, SpoolFiles

DeadLetter = Dict[str, Any]
"""
An event that the service will never take as it is, or what is left of a record that was damaged: `time`,
`key` (`None` for a damaged record), `request_id`, `refusal`, `event`, `line`.
"""


def letter_time() -> str:
    return rfc3339(datetime.fromtimestamp(time.time(), timezone.utc))


def damaged_letter(line: str) -> DeadLetter:
    """What is left of a damaged record."""
    message = "the record in the spool is not what was written"
    refusal = {"error": "damaged_record", "message": message}
    return {"time": letter_time(), "key": None, "refusal": refusal, "line": line}


def _is_letter(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("refusal"), dict):
        return False
    if value.get("key", 0) is None:
        return isinstance(value.get("line"), str)
    return isinstance(value.get("key"), str) and isinstance(value.get("event"), dict)


def letter_lines(data: bytes) -> List[Tuple[bytes, Optional[DeadLetter]]]:
    """
    The lines of a file, each with its letter; ``None`` where it has none: torn, or not written as it should
    be by a person. Of those with the same key the last counts.
    """
    lines: Dict[str, Tuple[bytes, Optional[DeadLetter]]] = {}
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        letter = value if _is_letter(value) else None
        own = line.decode("utf-8", "backslashreplace")
        key = own if letter is None or letter["key"] is None else f"key {letter['key']}"
        lines[key] = line, letter
    return list(lines.values())


def read_letters(data: bytes) -> List[DeadLetter]:
    """The letters in a file; a key that occurs twice counts once. Lines that are none are left out."""
    return [letter for _, letter in letter_lines(data) if letter is not None]


class DeadLetters:
    """Appends to the file of dead letters."""

    def __init__(self, files: SpoolFiles, folder: str, max_bytes: int) -> None:
        self._files = files
        self._folder = folder
        self._max_bytes = max_bytes
        self.kept = 0
        """Letters that were written."""
        self.dropped = 0
        """Letters for which there was no room: the oldest stay."""

    def append(self, letters: Sequence[DeadLetter]) -> None:
        """Returns once the letters are on the disk, or counted as dropped."""
        dropped = self._append([to_json(letter) for letter in letters], self._max_bytes)
        self.kept += len(letters) - dropped
        self.dropped += dropped

    def put_back(self, lines: Sequence[bytes]) -> None:
        """Returns once lines that were taken from the file are in it again, whatever its bound says."""
        self._append(lines, None)

    def _append(self, lines: Sequence[bytes], most: Optional[int]) -> int:
        """How many lines there was no room for."""
        if not lines:
            return 0
        path = os.path.join(self._folder, DEAD_LETTERS)
        # A process that puts letters back renames the file, which may be the one that is written to just now.
        for _ in range(5):
            file = self._open(path)
            try:
                dropped = self._write(file, lines, most)
                if self._is_in_place(file, path):
                    return dropped
            finally:
                self._files.close(file)
        raise CairnError(f"{path} is removed again and again")

    def _is_in_place(self, file: int, path: str) -> bool:
        try:
            return self._files.stat(path).identity == self._files.state_of(file).identity
        except OSError:
            return False

    def _open(self, path: str) -> int:
        try:
            return self._files.open(path)
        except FileNotFoundError:
            pass
        try:
            return self._files.create(path)
        except FileExistsError:
            return self._files.open(path)

    def _write(self, file: int, lines: Sequence[bytes], most: Optional[int]) -> int:
        size = self._files.state_of(file).size
        fitting = [] if self._files.last_byte(file) in (b"", b"\n") else [b"\n"]
        dropped = 0
        for line in lines:
            if most is not None and size + len(line) + 1 > most:
                dropped += 1
                continue
            size += len(line) + 1
            fitting.append(line + b"\n")
        self._files.write(file, b"".join(fitting))
        self._files.datasync(file)
        self._files.sync_folder(self._folder)
        return dropped
