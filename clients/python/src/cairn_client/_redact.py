"""Secrets are taken out of an event by their paths, before it is text."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple, Union

REDACTED = "[redacted]"
"""What stands in the place of a secret."""

SecretPath = Union[str, Sequence[str]]
"""
Where a secret is: names joined by dots, such as ``metadata.card.number``, or a list of names where one
has a dot in it. ``*`` is any one name, ``**`` any number of them. A path goes through lists by itself, and
its names are compared without regard to case.
"""

_Place = Tuple[Tuple[str, ...], int]


def _place_of(path: SecretPath) -> _Place:
    names = tuple(name.lower() for name in (path.split(".") if isinstance(path, str) else path))
    if not names or "" in names or names[-1] == "**":
        raise TypeError(f'redact: {path!r} is no path such as "metadata.card.number"')
    return names, 0


def _open(places: Sequence[_Place]) -> Sequence[_Place]:
    """The places at which a name may follow: behind ``**`` both the rest and ``**`` itself."""
    found: Dict[_Place, None] = {}
    for names, at in places:
        found[names, at] = None
        while names[at] == "**":
            at += 1
            found[names, at] = None
    return list(found)


def _name_of(name: Any) -> str:
    """The name as JSON has it: of a member of an enumeration, and of what has a text of its own, too."""
    return name if type(name) is str else str(next(iter(json.loads(json.dumps({name: None})))))


def _walk(value: Any, places: Sequence[_Place], above: Tuple[int, ...]) -> Any:
    if isinstance(value, Enum):
        return _walk(value.value, places, above)
    if not places or not isinstance(value, (Mapping, list, tuple)):
        return value
    if id(value) in above:
        raise ValueError("it contains itself")
    within = (*above, id(value))
    if not isinstance(value, Mapping):
        return [_walk(item, places, within) for item in value]
    opened = _open(places)
    copy = {}
    for name, child in value.items():
        key = _name_of(name).lower()
        below: List[_Place] = []
        for names, at in opened:
            if names[at] == "**":
                below.append((names, at))
            elif names[at] in ("*", key):
                if at + 1 == len(names):
                    copy[name] = REDACTED
                    break
                below.append((names, at + 1))
        else:
            copy[name] = _walk(child, below, within)
    return copy


def redactor(paths: Sequence[SecretPath]) -> Callable[[Mapping[str, Any]], Any]:
    """
    A function that gives a copy of an event with ``[redacted]`` in the place of each secret; the event itself
    stays as it is. Raises ``TypeError`` for a path that is none.
    """
    places = [_place_of(path) for path in paths]
    return lambda event: _walk(event, places, ())
