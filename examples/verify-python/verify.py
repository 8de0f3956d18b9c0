#!/usr/bin/env python3
"""A second opinion on an evidence bundle of a Cairn log, written from docs/Evidence.md and docs/HashFormat.md alone.

    python3 verify.py [--trusted-key KEY]... BUNDLE
    python3 verify.py [--trusted-key KEY]... OLD NEW
    python3 verify.py --batch

Python 3.9 or newer, and nothing but its standard library. KEY is a verifier key, name+id+base64 (C2SP signed-note), that you have from
elsewhere than the bundle; OLD is a bundle of the same log that you kept. Without either, the best word is HASHES HOLD.

Exits with 0 for INTACT and for HASHES HOLD, 1 for TAMPERED, 2 if a file cannot be read, 3 for UNPROVEN.
"""

import argparse
import base64
import bisect
import collections
import functools
import hashlib
import json
import re
import sys
import zlib
from decimal import Decimal

MAX_LINE = 8 * 1024 * 1024
MAX_LISTED = 10_000
MAX_SAFE = 2**53 - 1
FIRST_LEGACY_SEQUENCE = -(2**35)
BASE_CHAIN = 8453


class Unreadable(Exception):
    """The file, or the rest of it, is no bundle."""


class Malformed(Exception):
    """A part of a bundle is not what it should be."""


class Work:
    """What a verification has cost so far, in bytes."""

    def __init__(self):
        self.hashed = 0
        self.parsed = 0

    def sha256(self, data):
        self.hashed += len(data)
        return hashlib.sha256(data).digest()


# Canonical JSON: RFC 8785, read without believing the text to have another spelling, a key twice or a number that rounds.

ESCAPE = re.compile(rb'\\(?:["\\bfnrt]|u00(?:0[0-7bef]|1[0-9a-f]))')
STRING = re.compile(rb'"[^"\x00-\x1f]*"')
OUTSIDE = re.compile(rb"[^][{}:,0-9.eE+a-z-]")
BRACKET = re.compile(rb"[][{}]")
LONGEST_NUMBER = 24
SAFE_DIGITS = 15


def number_text(value):
    """A number as ECMAScript writes it (ECMA-262, Number::toString)."""
    if value == 0:
        return "0"
    if value - value != 0:
        raise Malformed("a number that no double holds")
    _, digits, exponent = Decimal(repr(abs(value))).as_tuple()
    point = len(digits) + exponent
    text = "".join(map(str, digits)).rstrip("0")
    if len(text) <= point <= 21:
        text = text.ljust(point, "0")
    elif 0 < point <= 21:
        text = f"{text[:point]}.{text[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{text}"
    else:
        text = f"{text[0]}{'.' if len(text) > 1 else ''}{text[1:]}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return f"-{text}" if value < 0 else text


def json_number(literal):
    if len(literal) > LONGEST_NUMBER:
        raise Malformed("a number in another spelling")
    if len(literal) <= SAFE_DIGITS and literal != "-0" and literal.lstrip("-").isdigit():
        return int(literal)
    value = float(literal)
    if number_text(value) != literal:
        raise Malformed("a number in another spelling")
    return int(value) if value.is_integer() and abs(value) <= MAX_SAFE else value


def json_object(pairs):
    before = None
    for key, _ in pairs:
        if before is not None and not (
            before < key if before.isascii() and key.isascii() else before.encode("utf-16-be") < key.encode("utf-16-be")
        ):
            raise Malformed("members in another order, or one twice")
        before = key
    return dict(pairs)


def json_constant(_):
    raise Malformed("no JSON")


DECODER = json.JSONDecoder(
    object_pairs_hook=json_object, parse_float=json_number, parse_int=json_number, parse_constant=json_constant
)


def nesting(bare):
    """How deep arrays and objects lie in each other, in a text without its strings."""
    depth = deepest = 0
    for bracket in BRACKET.findall(bare):
        if bracket in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    return deepest


def parse_json(work, data, deepest):
    """The value of a canonical text with no more than so many arrays and objects in each other."""
    work.parsed += len(data)
    plain = ESCAPE.sub(b"", data) if b"\\" in data else data
    bare = STRING.sub(b"", plain)
    if b"\\" in plain or OUTSIDE.search(bare):
        raise Malformed("no canonical JSON")
    if bare.count(b"[") + bare.count(b"{") > deepest and nesting(bare) > deepest:
        raise Malformed("nested too deep")
    try:
        return DECODER.decode(data.decode())
    except (ValueError, RecursionError):
        raise Malformed("no JSON") from None


# What lines and contents are made of. A form is a function that says whether a value has it.

HASH_TEXT = re.compile(r"[0-9a-f]{64}")
TX_HASH = re.compile(r"0x[0-9a-f]{64}")
HEX_BYTES = re.compile(r"0x(?:[0-9a-f]{2})*")


def is_text(value):
    return type(value) is str


def is_number(value):
    return type(value) in (int, float)


def is_integer(value):
    return type(value) is int


def at_least(least):
    return lambda value: type(value) is int and value >= least


def is_hash(value):
    return type(value) is str and HASH_TEXT.fullmatch(value) is not None


def is_bytes(value):
    """`0x` and lower-case hexadecimal, two digits a byte."""
    return type(value) is str and value.startswith("0x") and len(value) % 2 == 0 and not value[2:].strip("0123456789abcdef")


def is_object(value):
    return type(value) is dict


def one_of(*values):
    return lambda value: type(value) in (str, int) and value in values


def or_null(form):
    return lambda value: value is None or form(value)


def list_of(form):
    return lambda value: type(value) is list and all(map(form, value))


def record(optional=(), **forms):
    """An object with these members and no others."""

    def has_form(value):
        return (
            type(value) is dict
            and all(name in forms for name in value)
            and all(form(value[name]) if name in value else name in optional for name, form in forms.items())
        )

    return has_form


nullable_text = or_null(is_text)
hashes = list_of(is_hash)
sequence_form = at_least(1)
count_form = at_least(0)

ANCHOR = record(
    id=is_text,
    merkle_root=is_text,
    previous_anchor_hash=nullable_text,
    events_count=is_integer,
    period_start=is_text,
    period_end=is_text,
    chain=one_of("base"),
    status=one_of("pending", "submitted", "confirmed"),
    tx_hash=nullable_text,
    block_number=or_null(is_integer),
    explorer_url=nullable_text,
    created_at=is_text,
    first_event_hash=is_text,
    last_event_hash=is_text,
)
LINES = {
    "header": record(
        type=is_text,
        format=one_of("cairn-evidence/1"),
        workspace_id=is_text,
        origin=is_text,
        **{"from": sequence_form},
        to=count_form,
        keys=list_of(is_text),
        created_at=is_text,
    ),
    "prefix": record(
        type=is_text, log=hashes, period=or_null(record(first_sequence=sequence_form, hashes=hashes))
    ),
    "anchor": record(
        type=is_text,
        anchor=ANCHOR,
        first_sequence=sequence_form,
        last_sequence=sequence_form,
        after=hashes,
        transactions=list_of(is_bytes),
        block=or_null(record(header=is_bytes, transaction_index=count_form, proof=list_of(is_bytes))),
    ),
    "checkpoint": record(type=is_text, note=is_text, after=hashes),
    "removal": record(
        type=is_text,
        event=record(
            header=record(
                content_hash=is_text,
                created_at=is_text,
                id=is_text,
                previous_event_hash=nullable_text,
                sequence=is_integer,
                v=one_of(1),
                workspace_id=is_text,
            ),
            content=or_null(is_object),
            salt=nullable_text,
            inclusion=hashes,
            anchored=or_null(record(anchor=ANCHOR, leaf_index=is_integer, hashes=hashes)),
        ),
    ),
    "end": record(type=is_text, anchors=count_form, events=count_form, legacy=count_form, removals=count_form),
}
CONTENT = record(
    action=is_text,
    action_category=nullable_text,
    actor=record(id=is_text, name=nullable_text, type=nullable_text),
    idempotency_key=nullable_text,
    ip_city=nullable_text,
    ip_country=nullable_text,
    metadata=or_null(is_object),
    occurred_at=is_text,
    resource=record(id=nullable_text, name=nullable_text, type=nullable_text),
    session_id=nullable_text,
    targets=list_of(
        record(optional=("id", "metadata", "name"), id=is_text, metadata=is_object, name=is_text, type=is_text)
    ),
    tenant_id=nullable_text,
    version=or_null(is_number),
)

LINE_DEPTH = 80
METADATA_DEPTH = 64


def depth_of(value):
    deepest, level = 0, [value]
    while level:
        below = []
        for item in level:
            if type(item) in (dict, list):
                below.extend(item.values() if type(item) is dict else item)
        deepest += any(type(item) in (dict, list) for item in level)
        level = below
    return deepest


def parse_content(work, data):
    """The value of the canonical JSON of an event's content."""
    content = parse_json(work, data, METADATA_DEPTH + 3)
    if not CONTENT(content):
        raise Malformed("no event's content")
    inner = [content["metadata"], *(target.get("metadata") for target in content["targets"])]
    if any(depth_of(one) > METADATA_DEPTH for one in inner):
        raise Malformed("nested too deep")
    return content


# Times: ISO 8601, in microseconds since 1970. Numbers as doubles have them: exact until 2255.

MOMENT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?(?:([Zz])|([+-])([0-9]{2}):?([0-9]{2})?)?)?"
)
FIRST_SECOND, LAST_SECOND = -62_167_219_200, 253_402_300_799


def days_before(year):
    return 365 * year + (year + 3) // 4 - (year + 99) // 100 + (year + 399) // 400


def moment(text):
    """The time that a text says, or None."""
    match = MOMENT.fullmatch(text)
    if match is None:
        return None
    year, month, day = (int(match[index]) for index in (1, 2, 3))
    hour, minute, second, hours, minutes = (int(match[index] or 0) for index in (4, 5, 6, 10, 11))
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if not (1 <= month <= 12 and 1 <= day <= lengths[month - 1]):
        return None
    if hour > 23 or minute > 59 or second > 59 or hours > 23 or minutes > 59:
        return None
    days = days_before(year) + sum(lengths[: month - 1]) + day - 1 - days_before(1970)
    offset = (-1 if match[9] == "-" else 1) * (hours * 3600 + minutes * 60)
    seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    if not FIRST_SECOND <= seconds <= LAST_SECOND:
        return None
    return float(seconds) * 1e6 + int((match[7] or "")[:6].ljust(6, "0"))


@functools.lru_cache(maxsize=16)
def second_of(text):
    return moment(text + "Z")


def event_moment(text):
    """The time in an event's line, whose form is known; events come many to the second."""
    second = second_of(text[:19])
    if second is None:
        raise Unreadable("a date that no calendar has")
    return second + int(text[20:26])


# The Merkle tree: RFC 6962 section 2.1, the same as RFC 9162.

MAX_PROOF = 2 * 53


def from_hex(texts):
    return [bytes.fromhex(one) for one in texts]


class Tree:
    """The complete subtrees of a tree that grows, largest first: all that a root and the next leaf need."""

    def __init__(self, work, size=0, frontier=()):
        if size < 0 or bin(size).count("1") != len(frontier):
            raise Malformed("a frontier that no tree of its size has")
        self.work = work
        self.size = size
        self.hashes = list(frontier)

    def add(self, leaf):
        """Adds a leaf by its hash."""
        node, size = leaf, self.size
        while size % 2 == 1:
            node, size = self.work.sha256(b"\x01" + self.hashes.pop() + node), size // 2
        self.hashes.append(node)
        self.size += 1

    def root(self):
        if not self.hashes:
            return self.work.sha256(b"")
        node = self.hashes[-1]
        for left in reversed(self.hashes[:-1]):
            node = self.work.sha256(b"\x01" + left + node)
        return node


def leaf_hash(work, event_hash):
    return work.sha256(b"\x00" + event_hash)


def grows_into(tree, size, root, proof):
    """Whether `tree` is the beginning of the tree with this size and root (RFC 9162 section 2.1.4.2)."""
    if len(proof) > MAX_PROOF:
        return False
    if tree.size == size:
        return not proof and tree.root() == root
    if not 0 < tree.size < size or not proof:
        return False
    node_hash = lambda left, right: tree.work.sha256(b"\x01" + left + right)
    own, nodes = tree.root(), list(proof)
    if tree.size & (tree.size - 1) == 0:
        nodes.insert(0, own)
    first, second = tree.size - 1, size - 1
    while first % 2 == 1:
        first, second = first // 2, second // 2
    old = new = nodes[0]
    for node in nodes[1:]:
        if second == 0:
            return False
        if first % 2 == 1 or first == second:
            old, new = node_hash(node, old), node_hash(node, new)
            while first % 2 == 0 and first != 0:
                first, second = first // 2, second // 2
        else:
            new = node_hash(new, node)
        first, second = first // 2, second // 2
    return second == 0 and old == own and new == root


def includes(work, leaf, index, size, root, proof):
    """Whether the leaf of this hash stands at `index` in the tree (RFC 9162 section 2.1.3.2)."""
    if not 0 <= index < size or len(proof) > MAX_PROOF:
        return False
    first, second, node = index, size - 1, leaf
    for sibling in proof:
        if second == 0:
            return False
        if first % 2 == 1 or first == second:
            node = work.sha256(b"\x01" + sibling + node)
            while first % 2 == 0 and first != 0:
                first, second = first // 2, second // 2
        else:
            node = work.sha256(b"\x01" + node + sibling)
        first, second = first // 2, second // 2
    return second == 0 and node == root


# Ed25519: RFC 8032 section 5.1.7. Points and numbers in another than their one spelling are refused, and keys that anybody could
# sign for.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)
NEUTRAL = (0, 1, 1, 0)


def point_add(one, other):
    """In extended coordinates, section 5.1.4."""
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def point_times(scalar, point):
    total = NEUTRAL
    while scalar:
        if scalar & 1:
            total = point_add(total, point)
        point, scalar = point_add(point, point), scalar >> 1
    return total


def point_same(one, other):
    return (one[0] * other[2] - other[0] * one[2]) % P == 0 and (one[1] * other[2] - other[1] * one[2]) % P == 0


def point_decode(data):
    """Section 5.1.3; None for what is no point, or another spelling of one."""
    y, sign = int.from_bytes(data, "little") & (2**255 - 1), data[31] >> 7
    if y >= P:
        return None
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if (v * x * x + u) % P == 0:
        x = x * ROOT_OF_MINUS_1 % P
    if (v * x * x - u) % P != 0 or (x == 0 and sign):
        return None
    x = P - x if x % 2 != sign else x
    return x, y, 1, x * y % P


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_POINT = point_decode(BASE_Y.to_bytes(32, "little"))


@functools.lru_cache(maxsize=256)
def ed25519_verify(public_key, message, signature):
    """Whether the owner of a key has signed a message."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key, commitment = point_decode(public_key), point_decode(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or scalar >= ORDER or point_same(point_times(8, key), NEUTRAL):
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % ORDER
    left, right = point_times(scalar, BASE_POINT), point_add(commitment, point_times(challenge, key))
    return point_same(point_times(8, left), point_times(8, right))


# Signed notes (C2SP signed-note), verifier keys and checkpoints (C2SP tlog-checkpoint, tlog-cosignature).

MAX_NOTE = 1_000_000
MAX_SIGNATURES = 100
KEY_NAME = r"[^+\x00-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"
VERIFIER_KEY = re.compile(rf"({KEY_NAME})\+([0-9a-f]{{8}})\+([A-Za-z0-9+/]+={{0,2}})")
SIGNATURE_LINE = re.compile(rf"\u2014 ({KEY_NAME}) ([A-Za-z0-9+/]+={{0,2}})")
NOTE_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
SIZE_TEXT = re.compile(r"0|[1-9][0-9]{0,15}")
ED25519, COSIGNATURE = 1, 4

Checkpoint = collections.namedtuple("Checkpoint", "origin size root")
VerifierKey = collections.namedtuple("VerifierKey", "name key_id kind public_key text")


def from_base64(text):
    """The bytes of a text in its one spelling, or None."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None


def parse_verifier_key(work, text):
    """A key as an auditor has it: name+id+base64; ValueError for anything else."""
    match = VERIFIER_KEY.fullmatch(text)
    data = match and from_base64(match[3])
    if not data or len(data) != 33 or data[0] not in (ED25519, COSIGNATURE):
        raise ValueError("not a verifier key, name+id+base64")
    if work.sha256(match[1].encode() + b"\n" + data)[:4].hex() != match[2]:
        raise ValueError("not a verifier key: its id is another key's")
    return VerifierKey(match[1], match[2], data[0], data[1:], text)


def parse_note(text):
    """The text of a signed note, and (name, key id, signature) of each of its signatures."""
    if len(text) > MAX_NOTE or len(text) + sum(one > "\uffff" for one in text) > MAX_NOTE:
        raise Malformed("too long")
    blank = text.rfind("\n\n")
    if NOTE_CONTROL.search(text) or not text.endswith("\n") or blank < 0 or blank + 2 == len(text):
        raise Malformed("no signed note")
    lines, signatures = text[blank + 2 : -1].split("\n"), []
    if len(lines) > MAX_SIGNATURES:
        raise Malformed("too many signatures")
    for line in lines:
        match = SIGNATURE_LINE.fullmatch(line)
        data = match and from_base64(match[2])
        if not data or len(data) <= 4:
            raise Malformed("no signed note")
        signatures.append((match[1], data[:4].hex(), data[4:]))
    return text[: blank + 1], signatures


def parse_checkpoint(text):
    lines = text[:-1].split("\n")
    root = from_base64(lines[2]) if len(lines) > 2 else None
    if root is None or len(root) != 32 or lines[0] == "" or "" in lines[3:]:
        raise Malformed("no checkpoint")
    if not SIZE_TEXT.fullmatch(lines[1]) or int(lines[1]) > MAX_SAFE:
        raise Malformed("no checkpoint")
    return Checkpoint(lines[0], int(lines[1]), root)


def is_signed(work, key, text, signature):
    if key.kind == COSIGNATURE:
        if len(signature) != 72 or int.from_bytes(signature[:8], "big") > MAX_SAFE:
            return False
        text = f"cosignature/v1\ntime {int.from_bytes(signature[:8], 'big')}\n{text}"
        signature = signature[8:]
    message = text.encode()
    work.hashed += 64 + len(message)
    return ed25519_verify(key.public_key, message, signature)


def signers(work, note, keys):
    """Those of the keys that signed a note; a line in the name of one that is not its signature is Malformed."""
    text, signatures = note
    known = {}
    for key in keys:
        known.setdefault((key.name, key.key_id), key)
    found = []
    for index, (name, key_id, signature) in enumerate(signatures):
        key = known.get((name, key_id))
        if key is None or (name, key_id, signature) in signatures[:index]:
            continue
        if not is_signed(work, key, text, signature):
            raise Malformed(f"what stands for the signature of {name}+{key_id} is not its signature")
        found.append(key)
    return found


# The hash format, version 1.


def content_hash(work, salt, content):
    return work.sha256(b"cairn.content.v1\n" + salt + b"\n" + content).hex()


def quoted(text):
    return "null" if text is None else json.dumps(text, ensure_ascii=False)


def event_hash(work, content, created_at, event_id, previous, sequence, workspace_id):
    header = (
        f'{{"content_hash":{quoted(content)},"created_at":{quoted(created_at)},"id":{quoted(event_id)},'
        f'"previous_event_hash":{quoted(previous)},"sequence":{sequence},"v":1,"workspace_id":{quoted(workspace_id)}}}'
    )
    return work.sha256(b"cairn.event.v1\n" + header.encode())


def canonical_json(value):
    """The canonical JSON of a value that was read from such."""
    if type(value) is dict:
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{quoted(name)}:{canonical_json(value[name])}" for name in names) + "}"
    if type(value) is list:
        return "[" + ",".join(map(canonical_json, value)) + "]"
    return number_text(value) if type(value) in (int, float) else json.dumps(value, ensure_ascii=False)


# The lines of events. What follows a content is of fixed form, so the content is cut out as it stands and hashed as it stands.

HASH = rb'"([0-9a-f]{64})"'
MOMENT_FORM = rb'"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z)"'
UUID = rb'"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"'
SALT = rb'(?:"([0-9a-f]{32})"|null)'
CONTENT_BEGINS = b'{"content":'
TAIL_BEGINS = b',"content_hash":'
LONGEST_TAIL = 480
EVENT_TAIL = re.compile(
    rb',"content_hash":' + HASH + rb',"created_at":' + MOMENT_FORM + rb',"event_hash":' + HASH + rb',"id":' + UUID +
    rb',"previous_event_hash":(?:' + HASH + rb'|null),"salt":' + SALT + rb',"sequence":([1-9][0-9]{0,15}),"type":"event"\}'
)
LEGACY_TAIL = re.compile(
    rb',"content_hash":(?:' + HASH + rb'|null),"created_at":' + MOMENT_FORM + rb',"id":' + UUID +
    rb',"salt":' + SALT + rb',"sequence":(0|-[1-9][0-9]{0,15}),"type":"legacy"\}'
)

Event = collections.namedtuple("Event", "type content content_hash created_at event_hash id previous salt sequence")


def text(group):
    return None if group is None else group.decode()


def event_line(line):
    """The event, chained or not, that a line holds, its content as it stands; Unreadable for anything else."""
    start = line.rfind(TAIL_BEGINS, max(0, len(line) - LONGEST_TAIL))
    match = EVENT_TAIL.fullmatch(line, start) if start >= 0 else None
    kind = "event"
    if match is not None:
        stored, created_at, hashed, event_id, previous, salt, sequence = map(text, match.groups())
    else:
        match = LEGACY_TAIL.fullmatch(line, start) if start >= 0 else None
        if match is None:
            raise Unreadable("no event in canonical form")
        stored, created_at, event_id, salt, sequence = map(text, match.groups())
        kind, hashed, previous = "legacy", None, None
    content = line[len(CONTENT_BEGINS) : start]
    content = None if content == b"null" else content
    if abs(int(sequence)) > MAX_SAFE or (content is None) != (salt is None) or (content is None and stored is None):
        raise Unreadable("a number that cannot be, or a salt amiss")
    event_moment(created_at)
    return Event(kind, content, stored, created_at, hashed, event_id, previous, salt, int(sequence))


# Findings.

Finding = collections.namedtuple("Finding", "kind code subject message")
UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def shown(text):
    """Text of a file without what a terminal would obey."""
    return UNSHOWN.sub("\ufffd", text)


class Findings:
    """What was found, of each kind the first ten thousand."""

    def __init__(self):
        self.listed = []
        self.counts = collections.Counter()

    def add(self, kind, code, subject, message):
        self.counts[kind] += 1
        if self.counts[kind] <= MAX_LISTED:
            self.listed.append(Finding(kind, code, shown(subject)[:200], shown(message)[:1000]))

    def fail(self, code, subject, message):
        self.add("failed", code, subject, message)

    def prove(self, subject, message):
        self.add("proven", None, subject, message)

    def unproven(self, subject, message):
        """Something that the auditor brought was held against nothing."""
        self.add("unproven", None, subject, message)

    def skip(self, subject, message):
        self.add("not_checked", None, subject, message)

    @property
    def failures(self):
        return self.counts["failed"]


PAGE = 4096
MAX_PAGES = 262_144


class Sequences:
    """Sequences whose contents are missing and not accounted for yet: a bit each, in pages that come and go."""

    def __init__(self):
        self.pages = {}

    def add(self, sequence):
        """False if there is no room for it."""
        number, bit = divmod(sequence, PAGE)
        if number not in self.pages and len(self.pages) == MAX_PAGES:
            return False
        self.pages.setdefault(number, bytearray(PAGE // 8))[bit // 8] |= 1 << bit % 8
        return True

    def remove(self, sequence):
        number, bit = divmod(sequence, PAGE)
        if number in self.pages:
            self.pages[number][bit // 8] &= ~(1 << bit % 8)

    def remove_below(self, sequence):
        number, bit = divmod(sequence, PAGE)
        for whole in [one for one in self.pages if one < number]:
            del self.pages[whole]
        if number in self.pages:
            page = self.pages[number]
            page[: bit // 8] = bytes(bit // 8)
            if bit < PAGE:
                page[bit // 8] &= 0xFF << bit % 8 & 0xFF

    def __iter__(self):
        for number in sorted(self.pages):
            page = self.pages[number]
            for place in range(PAGE):
                if page[place // 8] >> place % 8 & 1:
                    yield number * PAGE + place


# One bundle.

BUNDLE = "bundle"
STAGES = {"header": 1, "prefix": 2, "legacy": 3, "event": 4, "anchor": 4, "checkpoint": 5, "removal": 6, "end": 7}
ONCE = ("header", "prefix", "checkpoint", "end")
CHAIN_STARTED, RETENTION_APPLIED, EVENT_ERASED = "cairn.chain.started", "cairn.retention.applied", "cairn.event.erased"


def named(sequence, event_id):
    return f"event {sequence} ({event_id})"


def said_of(content, created_at):
    """Who, what and when of an event, as the file has it."""
    if content is None:
        return f"recorded {created_at}"
    return f"recorded {created_at}: {content['actor']['id']} did {content['action']}"[:300]


class Verifier:
    """Follows the lines of one bundle. `watched` are sizes at which the roots of the log's tree are wanted."""

    def __init__(self, work, keys=(), watched=(), on_event=None, on_anchor=None):
        self.work = work
        self.keys = keys
        self.watched = set(watched)
        self.on_event = on_event
        self.on_anchor = on_anchor
        self.findings = Findings()
        self.lines = 0
        self.stage = 0
        self.header = None
        self.prefix = None
        self.last = None
        self.events = 0
        self.complete = True
        self.missing = Sequences()
        self.legacy = None
        self.legacy_last = None
        self.log = None
        self.roots = {}
        self.period = None
        self.anchors = 0
        self.anchor = None
        self.floor = float("-inf")
        self.checkpoint = None
        self.checkpoint_holds = False
        self.signed = False
        self.checkpoints = 0
        self.removals = 0
        self.end = None

    def fail(self, code, subject, message):
        self.findings.fail(code, subject, message)

    # The lines, in their order.

    def line(self, line):
        self.work.parsed += len(line)
        if line.startswith(CONTENT_BEGINS):
            value = event_line(line)
            kind = value.type
        else:
            try:
                value = parse_json(self.work, line, LINE_DEPTH)
            except Malformed as error:
                raise Unreadable(f"a line that is {error}") from None
            kind = value.get("type") if type(value) is dict else None
            if type(kind) is not str or kind not in LINES:
                raise Unreadable("a line of an unknown type")
            if not LINES[kind](value):
                raise Unreadable(f"a line of type {kind} with other members than it has")
        stage = STAGES[kind]
        again = stage == self.stage and kind in ONCE
        if stage < self.stage or again or (self.header is None) != (kind == "header"):
            raise Unreadable(f"a line of type {kind} where none can be")
        if kind == "removal" and self.checkpoints == 0:
            raise Unreadable("a removal without a checkpoint")
        self.lines += 1
        self.stage = stage
        getattr(self, "read_" + kind)(value)

    def read_header(self, value):
        self.header = value
        self.workspace_id = quoted(value["workspace_id"]).encode()
        self.first, self.to = value["from"], value["to"]
        self.legacy = Tree(self.work)
        if self.to < self.first - 1:
            self.fail("range_incomplete", BUNDLE, "the range ends before it begins")

    def read_prefix(self, value):
        self.prefix = value

    def begin(self):
        """The trees before the range."""
        if self.log is not None:
            return
        self.period_first = self.first
        self.log, self.period = Tree(self.work), Tree(self.work)
        if self.first == 1 or self.prefix is None:
            self.tree_begins = self.first == 1
            self.watch()
            return
        self.tree_begins = True
        period = self.prefix["period"]
        try:
            self.log = Tree(self.work, self.first - 2, from_hex(self.prefix["log"]))
            if period is not None:
                self.period = Tree(self.work, self.first - 1 - period["first_sequence"], from_hex(period["hashes"]))
                self.period_first = period["first_sequence"]
        except Malformed:
            self.tree_begins = False
            self.fail("prefix_malformed", BUNDLE, "its frontiers are not those of any log that is as long")
        self.watch()

    def watch(self):
        if self.log.size in self.watched and self.log.size not in self.roots:
            self.roots[self.log.size] = self.log.root()

    def add(self, leaf):
        self.log.add(leaf)
        self.period.add(leaf)
        self.watch()

    def read_legacy(self, event):
        what = named(event.sequence, event.id)
        expected = FIRST_LEGACY_SEQUENCE + self.legacy.size
        if event.sequence != expected:
            self.fail("legacy_changed", what, f"event {expected} should stand here")
        if self.legacy_last is not None and event_moment(event.created_at) <= event_moment(self.legacy_last):
            self.fail("time_went_back", what, "created_at is not later than the event's before")
        self.legacy_last = event.created_at
        computed = event.content_hash
        if event.content is None:
            self.lacks(event.sequence)
        else:
            computed = content_hash(self.work, event.salt.encode(), event.content)
            if event.content_hash not in (None, computed):
                self.fail("content_changed", what, "its content is not what was hashed")
            self.content_of(event, what)
        hashed = event_hash(
            self.work, computed, event.created_at, event.id, None, event.sequence, self.header["workspace_id"]
        )
        self.legacy.add(leaf_hash(self.work, hashed))

    def lacks(self, sequence):
        if not self.missing.add(sequence):
            self.fail("content_missing", f"event {sequence}", "its content is missing, as are too many others")

    def content_of(self, event, what):
        """The content as a value, if it is canonical JSON of one."""
        try:
            return parse_content(self.work, event.content)
        except Malformed:
            self.fail("content_not_canonical", what, "its content is not the canonical JSON of an event's content")
            return None

    def read_event(self, event):
        self.begin()
        first = self.events == 0
        self.events += 1
        what = named(event.sequence, event.id)
        expected = self.first if self.last is None else self.last.sequence + 1
        if event.sequence != expected or event.sequence > self.to:
            self.complete = False
            self.fail("event_misplaced", what, f"event {expected} should stand here, or none")
        else:
            self.check_link(event, first, what)
        computed = event_hash(
            self.work,
            event.content_hash,
            event.created_at,
            event.id,
            event.previous,
            event.sequence,
            self.header["workspace_id"],
        ).hex()
        if computed != event.event_hash:
            message = f"its header is not what was hashed: {computed} is not {event.event_hash}"
            self.fail("header_changed", what, f"{message}; {said_of(None, event.created_at)}")
        content = None
        if event.content is None:
            self.lacks(event.sequence)
        elif content_hash(self.work, event.salt.encode(), event.content) == event.content_hash:
            content = self.content_of(event, what)
        else:
            try:
                said = said_of(parse_content(self.work, event.content), event.created_at)
            except Malformed:
                said = said_of(None, event.created_at)
            self.fail("content_changed", what, f"its content is not what was hashed; {said}")
        if first and event.sequence == 1:
            self.check_legacy(event, content, what)
        if self.complete:
            if first and self.first > 1 and event.previous is not None:
                # The event before the range is known by its hash alone: it is a leaf like any other.
                leaf = leaf_hash(self.work, bytes.fromhex(event.previous))
                self.log.add(leaf)
                if self.period_first < self.first:
                    self.period.add(leaf)
                self.watch()
            self.add(leaf_hash(self.work, bytes.fromhex(event.event_hash)))
        if self.anchor is not None and event.sequence > self.anchor["last_sequence"]:
            if event_moment(event.created_at) < self.floor:
                self.fail("anchor_period_differs", what, "it was recorded within a period that was anchored without it")
        if content is not None and content["action"].startswith("cairn."):
            self.removed(content, event.sequence)
        self.last = event
        if self.period_begins is None:
            self.period_begins = event
        if self.on_event is not None:
            self.on_event(event)

    period_begins = None

    def check_link(self, event, first, what):
        if not first and event_moment(event.created_at) <= event_moment(self.last.created_at):
            self.fail("time_went_back", what, "created_at is not later than the event's before")
        if first:
            linked = (event.sequence == 1) == (event.previous is None)
        else:
            linked = event.previous == self.last.event_hash
        if not linked:
            self.fail("link_broken", what, "previous_event_hash is not the hash of the event before it")

    def check_legacy(self, event, content, what):
        """Three of Cairn's own actions mean something to a verifier; nobody else can write them."""
        started = content if content is not None and content["action"] == CHAIN_STARTED else None
        metadata = started["metadata"] or {} if started else {}
        claimed, root = metadata.get("legacy_events", 0), metadata.get("legacy_merkle_root")
        if self.legacy.size == 0 and claimed == 0:
            return
        if self.legacy.size == 0:
            self.findings.skip(what, f"{claimed} events from before the chain: they are not in the bundle")
            return
        late = event_moment(self.legacy_last) >= event_moment(event.created_at)
        if type(claimed) is not int or claimed != self.legacy.size or root != self.legacy.root().hex() or late:
            message = f"the chain begins after {claimed} earlier events, and these {self.legacy.size} are not them"
            self.fail("legacy_changed", what, message)
        else:
            self.findings.prove(what, f"{claimed} events from before the chain are those that it began after")

    def removed(self, content, by):
        """What an event records as removed; it accounts for events before itself alone."""
        metadata = content["metadata"] or {}
        if content["action"] == RETENTION_APPLIED and is_integer(metadata.get("below_sequence")):
            self.missing.remove_below(min(metadata["below_sequence"], by))
            return True
        if content["action"] == EVENT_ERASED and list_of(is_integer)(metadata.get("sequences")):
            for sequence in metadata["sequences"]:
                if sequence < by:
                    self.missing.remove(sequence)
            return True
        return False

    def read_anchor(self, value):
        self.begin()
        self.anchors += 1
        anchor, first, last = value["anchor"], value["first_sequence"], value["last_sequence"]
        what = f"anchor {anchor['id']}"
        before = self.findings.failures
        self.check_anchor(value, anchor, first, last, what)
        if self.findings.failures == before and self.complete:
            self.check_root(value, anchor, first, last, what)
        if self.findings.failures == before and self.on_anchor is not None:
            self.on_anchor(value)
        self.anchor = value
        self.floor = moment(anchor["period_end"]) or self.floor
        if last >= self.first:
            self.period, self.period_first, self.period_begins = Tree(self.work), last + 1, None

    def check_anchor(self, value, anchor, first, last, what):
        """That its members fit each other, the anchor before it and the events."""
        link, status = anchor["previous_anchor_hash"], anchor["status"]
        if not is_hash(anchor["merkle_root"]) or not (link is None or is_hash(link)):
            return self.fail("anchor_malformed", what, "its hashes are none")
        if anchor["tx_hash"] is not None and not TX_HASH.fullmatch(anchor["tx_hash"]):
            return self.fail("anchor_malformed", what, "tx_hash is no transaction's hash")
        if {anchor["tx_hash"] is None, anchor["block_number"] is None} != {status != "confirmed"}:
            return self.fail("anchor_malformed", what, f"it is {status}, and tx_hash and block_number say otherwise")
        if first > last or anchor["events_count"] != last - first + 1:
            return self.fail("anchor_events_differ", what, "events_count is not the number of its events")
        if self.anchor is None:
            if (first == 1) != (link is None):
                self.fail("anchor_link_broken", what, "previous_anchor_hash is null for the log's first anchor alone")
        else:
            previous = self.anchor["anchor"]
            expected = self.work.sha256((previous["merkle_root"] + (previous["tx_hash"] or "")).encode()).hex()
            if link != expected:
                self.fail("anchor_link_broken", what, "previous_anchor_hash is not that of the anchor before it")
            if anchor["period_start"] < previous["period_end"]:
                self.fail("anchor_period_differs", what, "its period begins before the end of the one before")
        if first != self.period_first:
            message = f"it begins with event {first}, and event {self.period_first} belongs to no anchor"
            self.fail("anchor_missing", what, message)
        reached = self.last.sequence if self.last else 0
        if last < self.first or first > self.to or reached != min(last, self.to):
            return self.fail("anchor_misplaced", what, "it does not stand where its events end")
        begin = self.period_begins
        if begin is not None and begin.sequence == first and anchor["first_event_hash"] != begin.event_hash:
            self.fail("anchor_events_differ", what, "first_event_hash is another event's")
        if last <= self.to and anchor["last_event_hash"] != self.last.event_hash:
            self.fail("anchor_events_differ", what, "last_event_hash is another event's")
        start, end = moment(anchor["period_start"]), moment(anchor["period_end"])
        recorded = [event_moment(one.created_at) for one in (begin, self.last) if one is not None]
        if start is None or end is None or start >= end or not all(start <= one < end for one in recorded):
            self.fail("anchor_period_differs", what, "its events were not all recorded within its period")

    def check_root(self, value, anchor, first, last, what):
        if not self.tree_begins and first < self.first:
            return
        root, after = bytes.fromhex(anchor["merkle_root"]), from_hex(value["after"])
        if not grows_into(self.period, anchor["events_count"], root, after):
            message = f"the root over its events is {self.period.root().hex()}, not {anchor['merkle_root']}"
            self.fail("anchor_root_differs", what, message)
        else:
            held = f"events {max(first, self.first)} to {min(last, self.to)}"
            self.findings.prove(what, f"its root holds the hashes of {held}")

    def finish_events(self):
        last = self.first - 1 if self.last is None else self.last.sequence
        if last < self.to:
            self.complete = False
            self.fail("range_incomplete", BUNDLE, f"events {last + 1} to {self.to} of the range are missing")

    def read_checkpoint(self, value):
        self.begin()
        self.checkpoints += 1
        self.finish_events()
        try:
            note = parse_note(value["note"])
            checkpoint = parse_checkpoint(note[0])
        except Malformed:
            return self.fail("checkpoint_malformed", "checkpoint", "it is no signed note with a checkpoint in it")
        what = f"checkpoint of {checkpoint.size}"
        self.check_signatures(note, what)
        if checkpoint.origin != self.header["origin"]:
            return self.fail("checkpoint_of_another_log", what, "it is another log's")
        self.checkpoint = checkpoint
        if checkpoint.size < self.to:
            self.fail("checkpoint_behind", what, "it is of a smaller log than the bundle's")
        elif self.events == 0:
            if value["after"]:
                self.fail("checkpoint_root_differs", what, "a way leads to it from no events")
        elif not self.complete or not self.tree_begins:
            self.findings.skip(what, "that it holds the events: their tree cannot be made")
        elif not grows_into(self.log, checkpoint.size, checkpoint.root, from_hex(value["after"])):
            message = "its root does not hold the hashes of these events: the log it was made for is another one"
            self.fail("checkpoint_root_differs", what, message)
        else:
            self.checkpoint_holds = True
            message = f"its root holds the hash of every event of the bundle, at its place among {checkpoint.size}"
            self.findings.prove(what, message)

    def check_signatures(self, note, what):
        keys = self.keys
        if not keys:
            keys = []
            for claimed in self.header["keys"]:
                try:
                    keys.append(parse_verifier_key(self.work, claimed))
                except ValueError:
                    pass
        try:
            found = signers(self.work, note, keys)
        except Malformed as error:
            return self.fail("checkpoint_not_signed", what, str(error))
        if not found and self.keys:
            return self.fail("checkpoint_not_signed", what, "no key that you trust has signed it")
        for key in found:
            self.findings.prove(what, f"it is signed by {key.text}")
        self.signed = bool(self.keys)
        if not self.keys:
            self.findings.skip(what, "that a key of the service signed it: --trusted-key, from a source you trust")

    def read_removal(self, value):
        self.removals += 1
        event, header = value["event"], value["event"]["header"]
        what = named(header["sequence"], header["id"])
        if not self.is_in_log(event, header):
            return self.fail("removal_not_in_log", what, "it is said to record a removal, and is not in the log")
        if not (CONTENT(event["content"]) and self.removed(event["content"], header["sequence"])):
            self.fail("removal_not_in_log", what, "it records no removal")

    def is_in_log(self, event, header):
        if self.checkpoint is None or header["workspace_id"] != self.header["workspace_id"] or event["content"] is None:
            return False
        content = canonical_json(event["content"]).encode()
        if content_hash(self.work, (event["salt"] or "").encode(), content) != header["content_hash"]:
            return False
        at = moment(header["created_at"])
        if at is None or not re.fullmatch(MOMENT_FORM.decode()[1:-1], header["created_at"]):
            return False
        hashed = event_hash(
            self.work,
            header["content_hash"],
            header["created_at"],
            header["id"],
            header["previous_event_hash"],
            header["sequence"],
            header["workspace_id"],
        )
        leaf, anchored = leaf_hash(self.work, hashed), event["anchored"]
        _, size, root = self.checkpoint
        if not includes(self.work, leaf, header["sequence"] - 1, size, root, from_hex(event["inclusion"])):
            return False
        if anchored is None:
            return True
        anchor = anchored["anchor"]
        return is_hash(anchor["merkle_root"]) and includes(
            self.work,
            leaf,
            anchored["leaf_index"],
            anchor["events_count"],
            bytes.fromhex(anchor["merkle_root"]),
            from_hex(anchored["hashes"]),
        )

    def read_end(self, value):
        self.end = value

    # The end.

    def finish(self):
        """There are no more lines."""
        if self.header is None:
            raise Unreadable("an empty file")
        self.begin()
        if self.checkpoints == 0:
            self.finish_events()
        for sequence in self.missing:
            message = "its content is missing, and no event of the log records a removal"
            self.fail("content_missing", f"event {sequence}", message)
        if self.prefix is None and self.first > 1 and self.to >= self.first:
            self.fail("prefix_missing", BUNDLE, "the prefix is missing: nothing says how the range continues the log")
        if self.prefix is not None and (self.first == 1 or self.to < self.first):
            self.fail("prefix_malformed", BUNDLE, "a prefix stands before a range that has none")
        if self.checkpoints == 0 and self.keys:
            message = "there is no checkpoint, so no key that you trust has signed this log"
            self.fail("checkpoint_missing", BUNDLE, message)
        if self.last is not None and self.period_first <= self.last.sequence:
            held = f"events {self.period_first} to {self.last.sequence}"
            self.findings.skip(BUNDLE, f"{held}: no anchor in the bundle holds them yet")
        if self.end is None:
            return self.fail("cut_off", BUNDLE, "the closing line is missing: the file goes on elsewhere")
        counts = {"anchors": self.anchors, "events": self.events, "legacy": self.legacy.size, "removals": self.removals}
        for name, count in counts.items():
            if self.end[name] != count:
                self.fail("counts_differ", BUNDLE, f"the closing line counts {self.end[name]} {name}, and there are {count}")
        if not self.findings.failures and self.events > 0:
            held = f"events {self.first} to {self.to}"
            self.findings.prove(BUNDLE, f"{held}: each is what was hashed and follows the one before it")

    def tree(self):
        """Size and root of the log's tree at the end of the range, if it can be made."""
        return (self.log.size, self.log.root()) if self.complete and self.tree_begins else None


# Files.

PIECE = 256 * 1024


def pieces(path):
    """What a gzip file of one member unpacks to, a piece at a time."""
    unpacker = zlib.decompressobj(31)
    with open(path, "rb") as file:
        packed = file.read(PIECE)
        while packed and not unpacker.eof:
            try:
                piece = unpacker.decompress(packed, PIECE)
            except zlib.error as error:
                raise Unreadable(f"no gzip: {error}") from None
            if piece:
                yield piece
            packed = unpacker.unconsumed_tail or (b"" if unpacker.eof else file.read(PIECE))
        if not unpacker.eof:
            raise Unreadable("no gzip, or cut off")
        if unpacker.unused_data or file.read(1):
            raise Unreadable("something follows the gzip stream")


def lines_of(path):
    """The lines of a bundle, without their ends."""
    pending = []
    length = 0
    for piece in pieces(path):
        first, *others = piece.split(b"\n")
        for line, ends in ((first, bool(others)), *((one, True) for one in others[:-1])):
            pending.append(line)
            length += len(line)
            if length > MAX_LINE:
                raise Unreadable(f"a line of more than {MAX_LINE} bytes")
            if ends:
                yield b"".join(pending)
                pending, length = [], 0
        if others:
            pending, length = [others[-1]], len(others[-1])
            if length > MAX_LINE:
                raise Unreadable(f"a line of more than {MAX_LINE} bytes")
    if length:
        raise Unreadable("the file ends within a line")


# Verifying one bundle, or two.

Report = collections.namedtuple("Report", "verdict status findings unreadable hashed parsed")
STATUS = {"intact": 0, "hashes_hold": 0, "tampered": 1, "unreadable": 2, "unproven": 3}
BLOCK_HASH = re.compile(r"([0-9]{1,16})=(0x[0-9a-f]{64})")
ADDRESS = re.compile(r"0x[0-9a-f]{40}")


def run(verifier, path):
    """Reads a bundle to its end; says why it could not, or None."""
    try:
        for line in lines_of(path):
            verifier.line(line)
        verifier.finish()
    except Unreadable as error:
        return shown(f"line {verifier.lines + 1}: {error}")
    except OSError as error:
        return shown(str(error))
    return None


class Comparison:
    """Holds the events and anchors of a later bundle against those of an earlier one, of which it reads the events again."""

    def __init__(self, work, older, path, anchors, findings):
        self.work, self.older, self.anchors, self.findings = work, older, anchors, findings
        self.events = self.placed(path)
        self.next = next(self.events, None)
        self.same = 0

    def placed(self, path):
        for line in lines_of(path):
            self.work.parsed += len(line)
            if line.startswith(CONTENT_BEGINS):
                event = event_line(line)
                if event.type == "event":
                    yield event

    def event(self, event):
        while self.next is not None and self.next.sequence < event.sequence:
            self.next = next(self.events, None)
        if self.next is None or self.next.sequence != event.sequence:
            return
        if self.next.event_hash == event.event_hash:
            self.same += 1
        else:
            said = f"it was {self.next.id}, recorded {self.next.created_at}"
            what = named(event.sequence, event.id)
            self.findings.fail("changed_since", what, f"not as in the earlier bundle: {said}")

    def anchor(self, value):
        before = self.anchors.pop(value["first_sequence"], None)
        if before is None:
            return
        what, (fixed, once) = f"anchor {value['anchor']['id']}", kept(value)
        if fixed != before[0] or any(was is not None and was != now for was, now in zip(before[1], once)):
            self.findings.fail("changed_since", what, "it is another one than in the earlier bundle")


FIXED = ("merkle_root", "previous_anchor_hash", "events_count", "period_end", "first_event_hash", "last_event_hash")


def kept(value):
    """Of an anchor, what never changes, and what is set once."""
    anchor = value["anchor"]
    return tuple(anchor[name] for name in FIXED), (anchor["tx_hash"], anchor["block_number"])


def continues(older, newer, findings):
    """That the later log begins with the earlier one: its tree had the same roots."""
    tree, earlier = older.tree(), []
    if tree is not None:
        earlier.append(("the earlier bundle", *tree))
    if older.checkpoint is not None:
        earlier.append(("the earlier bundle's checkpoint", older.checkpoint.size, older.checkpoint.root))
    if not earlier:
        findings.unproven(BUNDLE, "that it continues the earlier bundle, of which no tree can be made")
    for source, size, root in earlier:
        now = newer.roots.get(size) if newer.complete and newer.tree_begins else None
        checkpoint = newer.checkpoint
        if now is None and checkpoint is not None and checkpoint.size == size:
            now = checkpoint.root
        newest = max(newer.to, checkpoint.size if checkpoint else 0)
        what = f"checkpoint of {size}"
        if now is None and newest < size:
            findings.fail("dropped_since", what, f"the log is shorter than that of {source}")
        elif now is None and size > 0:
            findings.unproven(what, f"that the log continues that of {source}: the range does not show it")
        elif now is not None and now != root:
            findings.fail("checkpoint_inconsistent", what, f"the log is not a continuation of that of {source}")
        else:
            findings.prove(what, f"the log is a continuation of that of {source}")


def compare(work, keys, old, new):
    """Verifies both; answers the later one's verifier, the findings of all, and why one cannot be read."""
    anchors = {}

    def keep(value):
        anchors[value["first_sequence"]] = kept(value)

    older = Verifier(work, keys, on_anchor=keep)
    unreadable = run(older, old)
    if unreadable is not None or older.findings.failures:
        newer = Verifier(work, keys)
        return older, newer, Findings(), unreadable, run(newer, new)
    tree, findings = older.tree(), Findings()
    sizes = [tree[0]] if tree else []
    sizes += [older.checkpoint.size] if older.checkpoint else []
    comparison = Comparison(work, older, old, anchors, findings)
    newer = Verifier(work, keys, sizes, comparison.event, comparison.anchor)
    unreadable = run(newer, new)
    if unreadable is None:
        if (older.header["origin"], older.workspace_id) != (newer.header["origin"], newer.workspace_id):
            findings.fail("another_log", BUNDLE, "the bundles are of two logs")
        else:
            continues(older, newer, findings)
    return older, newer, findings, None, unreadable


def verify(files, trusted_keys=(), anchor_address=None, block_hashes=()):
    """
    Verifies the bundle in one file, or in two that the later one continues the earlier one, and answers a Report: its `verdict` is
    one of the names in STATUS. Keys are texts, name+id+base64; ValueError for what is none.
    """
    work = Work()
    keys = [parse_verifier_key(work, key.strip()) for key in trusted_keys]
    if anchor_address is not None and not ADDRESS.fullmatch(anchor_address.lower()):
        raise ValueError(f"not an address: {anchor_address}")
    if not all(BLOCK_HASH.fullmatch(one.lower()) for one in block_hashes):
        raise ValueError("not NUMBER=HASH of a block")
    if len(files) == 1:
        verifier = Verifier(work, keys)
        told, unreadable = [("", verifier.findings)], run(verifier, files[0])
    else:
        older, newer, findings, *reasons = compare(work, keys, *files)
        told = [("earlier bundle: ", older.findings), ("later bundle: ", newer.findings), ("", findings)]
        unreadable = "; ".join(reason for reason in reasons if reason is not None) or None
    more = Findings()
    if anchor_address is not None:
        more.unproven(BUNDLE, "--anchor-address: this program holds no anchor against an account; cairn-verify does")
    for one in block_hashes:
        more.unproven(BUNDLE, f"--block-hash {one}: this program holds no anchor against a block; cairn-verify does")
    told.append(("", more))
    listed = [one._replace(subject=said + one.subject) for said, found in told for one in found.listed]
    counts = sum((found.counts for _, found in told), collections.Counter())
    brought = len(keys) + len(files) - 1
    verdict = (
        "tampered" if counts["failed"]
        else "unreadable" if unreadable is not None
        else "unproven" if counts["unproven"]
        else "intact" if brought
        else "hashes_hold"
    )
    return Report(verdict, STATUS[verdict], listed, unreadable, work.hashed, work.parsed)


SAID = {
    "intact": "INTACT",
    "hashes_hold": "HASHES HOLD: the parts fit each other. That this is the service's log, and all of it, is not proven: "
    "whoever holds the database could make another whose parts fit as well. Bring --trusted-key, or an older bundle.",
    "tampered": "TAMPERED",
    "unreadable": "UNREADABLE",
    "unproven": "UNPROVEN: nothing failed, but something that you brought was held against nothing",
}


def print_report(report):
    print(SAID[report.verdict])
    if report.unreadable is not None:
        print(f"  cannot be read on: {report.unreadable}")
    for kind in ("failed", "unproven", "proven", "not_checked"):
        for finding in report.findings:
            if finding.kind == kind:
                code = f" [{finding.code}]" if finding.code else ""
                print(f"  {kind.replace('_', ' ')}: {finding.subject}: {finding.message}{code}")


def answer(line):
    """The answer to one request of --batch: both are JSON objects."""
    try:
        request = json.loads(line)
        if not is_object(request):
            raise ValueError("a request is a JSON object")
        options = ("trusted_keys", "anchor_address", "block_hashes")
        unknown = set(request) - {"id", "files", *options}
        if unknown or not list_of(is_text)(request.get("files")) or len(request["files"]) not in (1, 2):
            raise ValueError("a request has files, one or two, and beside them trusted_keys, anchor_address, block_hashes, id")
        report = verify(request["files"], **{name: request[name] for name in options if request.get(name) is not None})
    except (ValueError, TypeError, RecursionError) as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {
        "id": request.get("id"),
        "verdict": report.verdict,
        "status": report.status,
        "findings": [finding._asdict() for finding in report.findings],
        "unreadable": report.unreadable,
        "bytes_hashed": report.hashed,
        "bytes_parsed": report.parsed,
    }


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="BUNDLE", help="one bundle, or an older and a newer one of one log")
    parser.add_argument("--trusted-key", action="append", default=[], metavar="KEY", help="name+id+base64; several times")
    parser.add_argument("--anchor-address", metavar="0x…", help="taken, and answered UNPROVEN: see cairn-verify")
    parser.add_argument("--block-hash", action="append", default=[], metavar="NUMBER=HASH", help="the same")
    parser.add_argument("--batch", action="store_true", help="read a request from each line of the standard input")
    given = parser.parse_args(arguments)
    if given.batch:
        for line in sys.stdin:
            print(json.dumps(answer(line)), flush=True)
        return 0
    if len(given.files) not in (1, 2):
        parser.error("one bundle, or two")
    try:
        report = verify(given.files, given.trusted_key, given.anchor_address, given.block_hash)
    except ValueError as error:
        parser.error(str(error))
    print_report(report)
    return report.status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
