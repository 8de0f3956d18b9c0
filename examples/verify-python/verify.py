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


class Damaged(Unreadable):
    """The file is not one whole gzip member, so what was read of it before says nothing."""


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


# Canonical JSON: RFC 8785, read without believing the text to have another spelling, a key twice or a number
# that rounds.

ESCAPE = re.compile(rb'\\(?:["\\bfnrt]|u00(?:0[0-7bef]|1[0-9a-f]))')
STRING = re.compile(rb'"[^"\x00-\x1f]*"')
OUTSIDE = re.compile(rb"[^][{}:,0-9.eE+a-z-]")
BRACKET = re.compile(rb"[][{}]")
# -0.0000012345678901234567
LONGEST_NUMBER = 25
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


def is_name(value):
    """No more than 256 UTF-16 code units."""
    return type(value) is str and len(value) + sum(one > "\uffff" for one in value[:257]) <= 256


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
    return (
        type(value) is str
        and value.startswith("0x")
        and len(value) % 2 == 0
        and not value[2:].strip("0123456789abcdef")
    )


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
        workspace_id=is_name,
        origin=is_name,
        **{"from": sequence_form},
        to=count_form,
        keys=list_of(is_text),
        created_at=is_text,
    ),
    "prefix": record(type=is_text, log=hashes, period=or_null(record(first_sequence=sequence_form, hashes=hashes))),
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
ANCHOR_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
EVENT_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
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


# Ed25519: RFC 8032 section 5.1.7. Points and numbers in another than their one spelling are refused, and keys
# that anybody could sign for.

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
# In bytes: the text is hashed for each signature.
MAX_CHECKPOINT_TEXT = 16_384
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
    if len(text.encode()) > MAX_CHECKPOINT_TEXT:
        raise Malformed("too long")
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
            raise Malformed(f"the signature in the name of {name}+{key_id} is not valid")
        found.append(key)
    return found


# What an anchor's transaction is: Keccak-256, RLP, signatures over secp256k1 and the trie of a block's
# transactions (Ethereum yellow paper, appendices B, D and F).

ROUNDS = (
    0x1, 0x8082, 0x800000000000808A, 0x8000000080008000, 0x808B, 0x80000001, 0x8000000080008081, 0x8000000000008009,
    0x8A, 0x88, 0x80008009, 0x8000000A, 0x8000808B, 0x800000000000008B, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x800A, 0x800000008000000A, 0x8000000080008081, 0x8000000000008080,
    0x80000001, 0x8000000080008008,
)  # fmt: skip
TURNS = (0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14)
# Where each lane goes in the step called pi, and the lane with what follows it in its row.
PLACES = tuple(y + 5 * ((2 * x + 3 * y) % 5) for y in range(5) for x in range(5))
ROWS = tuple((at, at - at % 5 + (at + 1) % 5, at - at % 5 + (at + 2) % 5) for at in range(25))
LANE = 2**64 - 1
KECCAK_BLOCK = 136


def keccak_permute(lanes):
    for constant in ROUNDS:
        sums = [lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] for x in range(5)]
        mixed = [sums[x - 1] ^ (sums[x - 4] << 1 & LANE | sums[x - 4] >> 63) for x in range(5)] * 5
        moved = [0] * 25
        for place, lane, mix, turn in zip(PLACES, lanes, mixed, TURNS):
            lane ^= mix
            moved[place] = lane << turn & LANE | lane >> 64 - turn
        lanes = [moved[one] ^ ~moved[next_] & moved[after] for one, next_, after in ROWS]
        lanes[0] ^= constant
    return lanes


def keccak_digest(data):
    padded = data + b"\x01" + bytes(-(len(data) + 1) % KECCAK_BLOCK)
    padded = padded[:-1] + bytes([padded[-1] | 0x80])
    lanes = [0] * 25
    for start in range(0, len(padded), KECCAK_BLOCK):
        for index in range(KECCAK_BLOCK // 8):
            at = start + 8 * index
            lanes[index] ^= int.from_bytes(padded[at : at + 8], "little")
        lanes = keccak_permute(lanes)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])


# Of two bundles, and of many in a batch, most transactions and blocks are the same. What is longer than these
# is not kept.
LONGEST_KEPT = 4096
kept_digest = functools.lru_cache(maxsize=1024)(keccak_digest)


def keccak256(work, data):
    work.hashed += len(data)
    return kept_digest(data) if len(data) <= LONGEST_KEPT else keccak_digest(data)


Item = collections.namedtuple("Item", "is_list payload encoded")


def rlp_item(data, at):
    """The item that begins at a place; Malformed for another than its one encoding."""
    if at >= len(data):
        raise Malformed("RLP that is cut off")
    prefix = data[at]
    if prefix < 0x80:
        return Item(False, data[at : at + 1], data[at : at + 1])
    is_list, length, start = prefix >= 0xC0, (prefix - 0x80) % 0x40, at + 1
    if length > 55:
        start += length - 55
        digits = data[at + 1 : start]
        length = int.from_bytes(digits, "big")
        if len(digits) > 6 or digits[:1] in (b"", b"\x00") or length <= 55:
            raise Malformed("RLP in another encoding")
    payload = data[start : start + length]
    if len(payload) < length or (not is_list and length == 1 and payload[0] < 0x80):
        raise Malformed("RLP that is cut off, or in another encoding")
    return Item(is_list, payload, data[at : start + length])


def rlp(data):
    item = rlp_item(data, 0)
    if len(item.encoded) != len(data):
        raise Malformed("RLP that goes on")
    return item


def rlp_items(item, most):
    if not item.is_list:
        raise Malformed("RLP of bytes where a list should be")
    items, at = [], 0
    while at < len(item.payload):
        if len(items) == most:
            raise Malformed("RLP of too many items")
        items.append(rlp_item(item.payload, at))
        at += len(items[-1].encoded)
    return items


def rlp_bytes(item, length=None):
    if item.is_list or length not in (None, len(item.payload)):
        raise Malformed("RLP of another length")
    return item.payload


def rlp_integer(item, most=2**256 - 1):
    data = rlp_bytes(item)
    if len(data) > 32 or data[:1] == b"\x00" or int.from_bytes(data, "big") > most:
        raise Malformed("RLP of another number")
    return int.from_bytes(data, "big")


def rlp_prefix(base, length):
    if length <= 55:
        return bytes([base + length])
    digits = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([base + 55 + len(digits)]) + digits


def rlp_number(value):
    data = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return data if len(data) == 1 and data[0] < 0x80 else rlp_prefix(0x80, len(data)) + data


FIELD = 2**256 - 2**32 - 977
CURVE_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
GENERATOR = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
    1,
)
NOWHERE = (0, 1, 0)


def curve_double(point):
    x, y, z = point
    if y == 0 or z == 0:
        return NOWHERE
    square = y * y % FIELD
    s, m = 4 * x * square % FIELD, 3 * x * x % FIELD
    new = (m * m - 2 * s) % FIELD
    return new, (m * (s - new) - 8 * square * square) % FIELD, 2 * y * z % FIELD


def curve_add(one, other):
    """In Jacobian coordinates."""
    if one[2] == 0 or other[2] == 0:
        return other if one[2] == 0 else one
    z1, z2 = one[2] * one[2] % FIELD, other[2] * other[2] % FIELD
    u1, u2 = one[0] * z2 % FIELD, other[0] * z1 % FIELD
    s1, s2 = one[1] * other[2] * z2 % FIELD, other[1] * one[2] * z1 % FIELD
    h, r = (u2 - u1) % FIELD, (s2 - s1) % FIELD
    if h == 0:
        return curve_double(one) if r == 0 else NOWHERE
    h2 = h * h % FIELD
    h3, v = h * h2 % FIELD, u1 * h2 % FIELD
    x = (r * r - h3 - 2 * v) % FIELD
    return x, (r * (v - x) - s1 * h3) % FIELD, h * one[2] * other[2] % FIELD


def curve_times(scalar, point):
    total = NOWHERE
    while scalar:
        if scalar & 1:
            total = curve_add(total, point)
        point, scalar = curve_double(point), scalar >> 1
    return total


@functools.lru_cache(maxsize=256)
def recover_key(digest, parity, r, s):
    """The public key whose owner made a signature, 64 bytes (SEC 1 section 4.1.6); s in its lower half alone (EIP-2)."""
    if not (0 < r < CURVE_ORDER and 0 < s <= CURVE_ORDER // 2):
        raise Malformed("nobody's signature")
    square = (pow(r, 3, FIELD) + 7) % FIELD
    y = pow(square, (FIELD + 1) // 4, FIELD)
    if y * y % FIELD != square:
        raise Malformed("nobody's signature")
    point, inverse = (r, y if y % 2 == parity else FIELD - y, 1), pow(r, CURVE_ORDER - 2, CURVE_ORDER)
    number = int.from_bytes(digest, "big")
    x, y, z = curve_add(
        curve_times(-number * inverse % CURVE_ORDER, GENERATOR), curve_times(s * inverse % CURVE_ORDER, point)
    )
    if z == 0:
        raise Malformed("nobody's signature")
    z = pow(z, FIELD - 2, FIELD)
    return (x * z * z % FIELD).to_bytes(32, "big") + (y * z * z * z % FIELD).to_bytes(32, "big")


# Of each type of transaction how many fields it has, the last three its signature, and where its nonce and
# `to` stand.
LAYOUTS = {0: (9, 0, 3), 1: (11, 1, 4), 2: (12, 1, 5), 3: (14, 1, 5), 4: (13, 1, 5)}

Transaction = collections.namedtuple("Transaction", "chain_id sender to value data")


def read_transaction(work, raw):
    """A signed transaction; Malformed for anything else, and for a deposit, which has no signature."""
    kind = raw[0] if raw else 0
    kind = 0 if kind >= 0xC0 else kind or -1
    if kind not in LAYOUTS:
        raise Malformed("no signed transaction")
    count, nonce, to = LAYOUTS[kind]
    body = rlp(raw[1:] if kind else raw)
    fields = rlp_items(body, count)
    if len(fields) != count:
        raise Malformed("a transaction of other fields")
    parity, r, s = map(rlp_integer, fields[-3:])
    payload = body.payload[: -sum(len(field.encoded) for field in fields[-3:])]
    if kind:
        chain_id = rlp_integer(fields[0], MAX_SAFE)
    elif parity in (27, 28):
        chain_id, parity = None, parity - 27
    else:
        chain_id, parity = divmod(parity - 35, 2)
        if not 0 <= chain_id <= MAX_SAFE:
            raise Malformed("a signature for no chain")
        payload += rlp_number(chain_id) + b"\x80\x80"
    rlp_integer(fields[nonce], MAX_SAFE)
    if parity > 1 or len(rlp_bytes(fields[to])) not in (0, 20):
        raise Malformed("a transaction of other fields")
    signed = (bytes([kind]) if kind else b"") + rlp_prefix(0xC0, len(payload)) + payload
    value, data = rlp_integer(fields[to + 1]), rlp_bytes(fields[to + 2])
    key = recover_key(keccak256(work, signed), parity, r, s)
    return Transaction(chain_id, keccak256(work, key)[12:], fields[to].payload, value, data)


def trie_path(encoded):
    """The nibbles of a leaf's or an extension's path, and whether it is a leaf's."""
    flag = encoded[0] >> 4 if encoded else 4
    nibbles = [digit for byte in encoded for digit in (byte >> 4, byte & 15)][2 - flag % 2 :]
    if flag > 3 or (flag % 2 == 0 and encoded[0] & 15) or (flag < 2 and not nibbles):
        raise Malformed("no node of a trie")
    return nibbles, flag >= 2


def trie_value(work, root, key, proof):
    """The value that a key has under a root, if the nodes of the proof, and no others, lead there."""
    rest = [digit for byte in key for digit in (byte >> 4, byte & 15)]
    for position, encoded in enumerate(proof):
        if position > 2 * len(key) or keccak256(work, encoded) != root:
            break
        node = rlp(encoded)
        while True:
            items, done = rlp_items(node, 17), False
            if len(items) == 17:
                next_, done, rest = items[rest[0] if rest else 16], not rest, rest[1:]
            elif len(items) == 2:
                path, is_leaf = trie_path(rlp_bytes(items[0]))
                if rest[: len(path)] != path or (is_leaf and len(path) != len(rest)):
                    raise Malformed("a way through the trie that leads elsewhere")
                next_, done, rest = items[1], is_leaf, rest[len(path) :]
            else:
                raise Malformed("no node of a trie")
            if done:
                if position != len(proof) - 1 or not rlp_bytes(next_):
                    raise Malformed("a way through the trie that leads elsewhere")
                return next_.payload
            if not next_.is_list:
                root = rlp_bytes(next_, 32)
                break
            if len(next_.encoded) >= 32:
                raise Malformed("no node of a trie")
            node = next_
    raise Malformed("a way through the trie that leads nowhere")


def read_block(header):
    """Number, time and transactions' root of a block, by the RLP of its header."""
    fields = rlp_items(rlp(header), 64)
    if len(fields) < 15:
        raise Malformed("no header of a block")
    rlp_bytes(fields[0], 32)
    return rlp_integer(fields[8], MAX_SAFE), rlp_integer(fields[11], MAX_SAFE), rlp_bytes(fields[4], 32)


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


# The lines of events. What follows a content is of fixed form, so the content is cut out as it stands and
# hashed as it stands.

HASH = rb'"([0-9a-f]{64})"'
MOMENT_FORM = rb'"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z)"'
UUID = rb'"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"'
SALT = rb'(?:"([0-9a-f]{32})"|null)'
CONTENT_BEGINS = b'{"content":'
TAIL_BEGINS = b',"content_hash":'
LONGEST_TAIL = 480
EVENT_TAIL = re.compile(
    rb',"content_hash":'
    + HASH
    + rb',"created_at":'
    + MOMENT_FORM
    + rb',"event_hash":'
    + HASH
    + rb',"id":'
    + UUID
    + rb',"previous_event_hash":(?:'
    + HASH
    + rb'|null),"salt":'
    + SALT
    + rb',"sequence":([1-9][0-9]{0,15}),"type":"event"\}'
)
LEGACY_TAIL = re.compile(
    rb',"content_hash":(?:'
    + HASH
    + rb'|null),"created_at":'
    + MOMENT_FORM
    + rb',"id":'
    + UUID
    + rb',"salt":'
    + SALT
    + rb',"sequence":(0|-[1-9][0-9]{0,15}),"type":"legacy"\}'
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
            self.listed.append(Finding(kind, code, shown(subject[:200]), shown(message[:1000])))

    def fail(self, code, subject, message):
        self.add("failed", code, subject, message)

    def prove(self, subject, message):
        self.add("proven", None, subject, message)

    def unproven(self, subject, message):
        """Something that the auditor gave matches nothing in the file."""
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
        # By their numbers, and the numbers of those that came in ascending order.
        self.pages, self.order = {}, []

    def add(self, sequence):
        """False if there is no room for it."""
        number, bit = divmod(sequence, PAGE)
        if number not in self.pages:
            if len(self.pages) == MAX_PAGES:
                return False
            if not self.order or number > self.order[-1]:
                self.order.append(number)
        self.pages.setdefault(number, bytearray(PAGE // 8))[bit // 8] |= 1 << bit % 8
        return True

    def remove(self, sequence):
        """Says whether it was there."""
        number, bit = divmod(sequence, PAGE)
        if number not in self.pages or not self.pages[number][bit // 8] >> bit % 8 & 1:
            return False
        self.pages[number][bit // 8] &= ~(1 << bit % 8)
        if not any(self.pages[number]):
            self.pages.pop(number)
        return True

    def remove_from(self, first, end):
        """All from `first` on and below `end`. Made for sequences that came in ascending order."""
        begin = bisect.bisect_left(self.order, first // PAGE)
        stop = bisect.bisect_left(self.order, -(-end // PAGE))
        left = []
        for number in self.order[begin:stop]:
            page, lowest = self.pages.pop(number, b""), max(first - number * PAGE, 0)
            highest = max(min(end - number * PAGE, PAGE), lowest)
            rest = int.from_bytes(page, "little") & ~((1 << highest) - (1 << lowest))
            if rest:
                self.pages[number] = bytearray(rest.to_bytes(PAGE // 8, "little"))
                left.append(number)
        self.order[begin:stop] = left

    def __iter__(self):
        for number, page in sorted(self.pages.items()):
            for index, byte in enumerate(page):
                for bit in range(8) if byte else ():
                    if byte >> bit & 1:
                        yield number * PAGE + 8 * index + bit


# One bundle.

BUNDLE = "bundle"
STAGES = {"header": 1, "prefix": 2, "legacy": 3, "event": 4, "anchor": 4, "checkpoint": 5, "removal": 6, "end": 7}
ONCE = ("header", "prefix", "checkpoint", "end")
CHAIN_STARTED, RETENTION_APPLIED, EVENT_ERASED = (
    "cairn.chain.started",
    "cairn.retention.applied",
    "cairn.event.erased",
)
OWN_RECORDS = (b'{"action":"cairn.chain.started"', b'{"action":"cairn.event.erased"', b'{"action":"cairn.retention.')
# In bytes: what nodes of the chain pass on, and a node of a trie that holds it. To hash more is what costs
# most.
MAX_TRANSACTION = 131_072
MAX_NODE = MAX_TRANSACTION + 1024
PAYLOAD_BEGINS, ENTRY_BYTES, CLOCK_SKEW = b"cairn1", 96, 300e6


def named(sequence, event_id):
    return f"event {sequence} ({event_id})"


def said_of(content, created_at):
    """Who, what and when of an event, as the file has it."""
    who = "" if content is None else f": {content['actor']['id'][:100]} did {content['action'][:100]}"
    return f"recorded {created_at}{who}"


def say_range(first, last):
    return f"event {first}" if first == last else f"events {first} to {last}"


class Verifier:
    """Follows the lines of one bundle. `watched` are sizes at which the roots of the log's tree are wanted."""

    def __init__(self, work, keys=(), chain_id=BASE_CHAIN, watched=(), on_event=None, on_anchor=None):
        self.work, self.keys, self.chain_id = work, keys, chain_id
        self.watched, self.on_event, self.on_anchor = set(watched), on_event, on_anchor
        self.findings = Findings()
        self.lines = self.stage = 0
        self.header = self.prefix = self.log = self.checkpoint = self.end = None
        # The trees of the log and of the period that is open; whether they can be made.
        self.complete, self.begun = True, False
        self.roots = {}
        # The events: how many, the last, the hash of the one before the range, and the first of the open
        # period that is a line.
        self.events, self.last, self.before, self.period_begins = 0, None, None, None
        # Contents that are missing; below which of them records of the older form account for them.
        self.missing, self.unclear_below = Sequences(), float("-inf")
        self.first_is_gone = False
        self.legacy, self.legacy_last = Tree(work), None
        # How many legacy events an earlier bundle has, and the root over as many.
        self.legacy_watched, self.legacy_root = 0, None
        self.anchors, self.anchor, self.floor = 0, None, float("-inf")
        # Which keys signed the checkpoint, and whether it holds the events.
        self.checkpoints, self.signed, self.checkpoint_holds = 0, set(), False
        self.removals, self.removal_events = 0, set()

    def fail(self, code, subject, message):
        self.findings.fail(code, subject, message)

    # The lines, in their order.

    def line(self, line):
        """The next line, without its end; Unreadable if none can be read on from here."""
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
        if stage > STAGES["prefix"]:
            self.begin()
        getattr(self, "read_" + kind)(value)

    def read_header(self, value):
        self.header = value
        self.first, self.to = value["from"], value["to"]
        self.empty = self.to < self.first
        self.period_first = self.first
        if self.to < self.first - 1:
            self.fail("range_incomplete", BUNDLE, "the range ends before it begins")

    def read_prefix(self, value):
        self.prefix = value

    def begin(self):
        """The trees before the range, at the first line after the header and the prefix, or where one should be."""
        if self.begun:
            return
        self.begun = True
        if self.first == 1 or self.empty:
            if self.prefix is not None:
                self.fail("prefix_malformed", BUNDLE, "there is a prefix, but the range has nothing before it")
            if self.first == 1:
                self.begin_with(0, [], None)
            return
        if self.prefix is None:
            self.fail(
                "prefix_missing", BUNDLE, f"the prefix is missing, which describes the log before event {self.first}"
            )
            return
        try:
            self.begin_with(self.first - 2, self.prefix["log"], self.prefix["period"])
        except Malformed:
            self.fail("prefix_malformed", BUNDLE, "its frontiers fit no log of this length")

    def begin_with(self, size, log, period):
        log, open_ = Tree(self.work, size, from_hex(log)), Tree(self.work)
        if period is not None:
            self.period_first = period["first_sequence"]
            open_ = Tree(self.work, self.first - 1 - self.period_first, from_hex(period["hashes"]))
        self.log, self.period = log, open_
        self.watch()

    def watch(self):
        if self.log.size in self.watched:
            self.roots[self.log.size] = self.log.root()

    def has_trees(self):
        """Whether every event so far stood in its place, after a beginning that is known."""
        return self.complete and self.log is not None

    def read_legacy(self, event):
        what = named(event.sequence, event.id)
        expected = FIRST_LEGACY_SEQUENCE + self.legacy.size
        if self.first != 1:
            message = "the range begins after the chain's first event, but contains events from before the chain"
            self.fail("legacy_changed", what, message)
        if event.sequence != expected:
            self.fail("legacy_changed", what, f"event {expected} should be here")
        if self.legacy_last is not None and event_moment(event.created_at) <= event_moment(self.legacy_last):
            self.fail("time_went_back", what, "created_at is not later than that of the event before it")
        self.legacy_last = event.created_at
        computed = event.content_hash
        if event.content is None:
            self.lacks(event.sequence)
        else:
            computed = content_hash(self.work, event.salt.encode(), event.content)
            if event.content_hash not in (None, computed):
                self.fail("content_changed", what, "its content is not the one that was hashed")
            self.content_of(event, what)
        hashed = event_hash(self.work, computed, event.created_at, event.id, None, event.sequence, self.workspace)
        self.legacy.add(leaf_hash(self.work, hashed))
        if self.legacy.size == self.legacy_watched:
            self.legacy_root = self.legacy.root()

    @property
    def workspace(self):
        return self.header["workspace_id"]

    def lacks(self, sequence):
        if not self.missing.add(sequence):
            message = "its content is missing, and there are too many missing contents to check"
            self.fail("content_missing", f"event {sequence}", message)

    def content_of(self, event, what):
        """The content as a value, if it is canonical JSON of one."""
        try:
            return parse_content(self.work, event.content)
        except Malformed:
            self.fail("content_not_canonical", what, "its content is not the canonical JSON of an event's content")
            return None

    def read_event(self, event):
        what, at = named(event.sequence, event.id), event_moment(event.created_at)
        expected = self.first if self.last is None else self.last.sequence + 1
        self.events += 1
        if event.sequence != expected or event.sequence > self.to:
            self.complete = False
            self.fail("event_misplaced", what, f"event {expected} should be here, or none")
        else:
            self.check_link(event, what)
        if self.last is not None and at <= event_moment(self.last.created_at):
            self.fail("time_went_back", what, "created_at is not later than that of the event before it")
        if at < self.floor and event.sequence > self.anchor["last_sequence"]:
            message = "it was recorded within a period that is anchored, but the anchor does not include it"
            self.fail("anchor_period_differs", what, message)
        self.check_header(event, what)
        content = self.check_content(event, what)
        if self.last is None and event.sequence == 1:
            self.check_legacy(event, content, what)
        if self.has_trees():
            self.grow(event)
        if content is not None and content["action"].startswith("cairn."):
            self.removed(content, event.sequence)
        self.last = event
        if self.period_begins is None:
            self.period_begins = event
        if self.on_event is not None:
            self.on_event(event)

    def check_link(self, event, what):
        linked = (event.sequence == 1) == (event.previous is None)
        if self.last is not None:
            linked = event.previous == self.last.event_hash
        if not linked:
            self.fail("link_broken", what, "previous_event_hash is not the hash of the event before it")

    def check_header(self, event, what):
        at, sequence = event.created_at, event.sequence
        computed = event_hash(self.work, event.content_hash, at, event.id, event.previous, sequence, self.workspace)
        if computed.hex() != event.event_hash:
            message = f"its header has the hash {computed.hex()}, not {event.event_hash}; {said_of(None, at)}"
            self.fail("header_changed", what, message)

    def check_content(self, event, what):
        if event.content is None:
            return self.lacks(event.sequence)
        if content_hash(self.work, event.salt.encode(), event.content) == event.content_hash:
            return self.content_of(event, what)
        try:
            said = said_of(parse_content(self.work, event.content), event.created_at)
        except Malformed:
            said = said_of(None, event.created_at)
        return self.fail("content_changed", what, f"its content is not the one that was hashed; {said}")

    def grow(self, event):
        if self.last is None and event.previous is not None:
            # The event before the range is known by its hash alone: it is a leaf like any other.
            self.before = event.previous
            leaf = leaf_hash(self.work, bytes.fromhex(event.previous))
            self.log.add(leaf)
            if self.period_first < self.first:
                self.period.add(leaf)
            self.watch()
        leaf = leaf_hash(self.work, bytes.fromhex(event.event_hash))
        self.log.add(leaf)
        self.period.add(leaf)
        self.watch()

    def check_legacy(self, event, content, what):
        """Three of Cairn's own actions mean something to a verifier; nobody else can write them."""
        count = self.legacy.size
        if event.content is None and count == 0:
            self.first_is_gone = True
            return None
        started = content is not None and content["action"] == CHAIN_STARTED
        if not started and count == 0:
            return None
        metadata = content["metadata"] or {} if started else {}
        claimed, root = metadata.get("legacy_events"), metadata.get("legacy_merkle_root")
        late = self.legacy_last is not None and event_moment(self.legacy_last) >= event_moment(event.created_at)
        if (
            count == 0
            or not started
            or type(claimed) is not int
            or late
            or (claimed, root) != (count, self.legacy.root().hex())
        ):
            message = f"the chain began after other events than the {count} from before the chain in the bundle"
            return self.fail("legacy_changed", what, message)
        message = f"the {count} events from before the chain are the ones that the chain's first event commits to"
        return self.findings.prove(what, message)

    def removed(self, content, by):
        """Whether an event records a removal; it accounts for events before itself alone."""
        metadata = content["metadata"] or {}
        if content["action"] == RETENTION_APPLIED and is_integer(metadata.get("below_sequence")):
            return self.retention_applied(metadata, by)
        if content["action"] == EVENT_ERASED and list_of(is_integer)(metadata.get("sequences")):
            for sequence in metadata["sequences"]:
                if sequence < by:
                    self.missing.remove(sequence)
            return True
        return False

    def retention_applied(self, metadata, by):
        """It accounts for an interval, but for what it says is kept; in its older form for all before it, not saying what was kept."""
        below = metadata["below_sequence"]
        if "from_sequence" not in metadata and "kept" not in metadata:
            self.unclear_below = max(self.unclear_below, min(below, by))
            return True
        first, kept = metadata.get("from_sequence"), metadata.get("kept")
        if not is_integer(first) or first > below or not list_of(is_integer)(kept):
            return False
        if not all(one < other for one, other in zip([first - 1, *kept], [*kept, below])):
            return False
        for sequence in kept:
            if sequence < by and self.missing.remove(sequence):
                message = f"its content is missing, but event {by} of the log says that it was kept"
                self.fail("content_missing", f"event {sequence}", message)
        self.missing.remove_from(first, min(below, by))
        return True

    # Anchors.

    def read_anchor(self, value):
        self.anchors += 1
        what, failures = f"anchor {value['anchor']['id']}", self.findings.failures
        fields = self.check_anchor_fields(value, value["anchor"], what)
        if fields:
            self.check_anchor_place(value, what)
            self.check_anchor_link(value["anchor"], value["first_sequence"], what)
            if self.findings.failures == failures and self.has_trees() and self.period_begins is not None:
                self.check_anchor_events(value, value["anchor"], what)
            self.check_transaction(value, value["anchor"], what)
            self.floor = max(self.floor, moment(value["anchor"]["period_end"]))
        if self.on_anchor is not None:
            self.on_anchor(value)
        self.anchor = value
        if value["last_sequence"] >= self.first:
            self.period, self.period_first, self.period_begins = (Tree(self.work), value["last_sequence"] + 1, None)

    def check_anchor_fields(self, value, anchor, what):
        """Whether its members can be those of an anchor."""
        link, transaction, block, confirmed = (
            anchor["previous_anchor_hash"],
            anchor["tx_hash"],
            anchor["block_number"],
            anchor["status"] == "confirmed",
        )
        if not all(map(is_hash, (anchor["merkle_root"], anchor["first_event_hash"], anchor["last_event_hash"]))):
            return self.fail("anchor_malformed", what, "merkle_root, first_event_hash or last_event_hash is not a hash")
        if not (link is None or is_hash(link)) or not (transaction is None or TX_HASH.fullmatch(transaction)):
            return self.fail("anchor_malformed", what, "previous_anchor_hash or tx_hash is not a hash")
        for name in ("period_start", "period_end"):
            if not ANCHOR_MOMENT.fullmatch(anchor[name]) or moment(anchor[name]) is None:
                return self.fail("anchor_malformed", what, f"{name} is no time")
        if not (confirmed == (transaction is not None) == (block is not None)) or (block or 0) < 0:
            return self.fail("anchor_malformed", what, "status, tx_hash and block_number contradict each other")
        if value["block"] is not None and not confirmed:
            return self.fail("anchor_malformed", what, "it is in no block, but has the proof of one")
        count = value["last_sequence"] - value["first_sequence"] + 1
        if count < 1 or anchor["events_count"] != count:
            return self.fail("anchor_events_differ", what, "events_count is not the number of its events")
        return True

    def check_anchor_place(self, value, what):
        first, last = value["first_sequence"], value["last_sequence"]
        if last < self.first or first > self.to:
            return self.fail("anchor_misplaced", what, "none of its events is in the range")
        if self.anchor is not None:
            begins = first == self.anchor["last_sequence"] + 1
        else:
            begins = first == self.period_first if self.prefix is not None else first <= self.first
        if not begins:
            self.fail("anchor_missing", what, f"events before its first, {first}, belong to no anchor")
        reached = self.last.sequence if self.last is not None else None
        if reached != min(last, self.to):
            self.fail("anchor_misplaced", what, "it is not placed right after its last event")
        return None

    def check_anchor_link(self, anchor, first, what):
        link = anchor["previous_anchor_hash"]
        if self.anchor is None:
            if (first == 1) != (link is None):
                self.fail("anchor_link_broken", what, "previous_anchor_hash is null for the log's first anchor alone")
            elif first > 1:
                self.findings.skip(what, "its link to the previous anchor: the bundle does not contain that anchor")
            return
        previous = self.anchor["anchor"]
        if link != self.work.sha256((previous["merkle_root"] + (previous["tx_hash"] or "")).encode()).hex():
            self.fail("anchor_link_broken", what, "previous_anchor_hash is not the hash of the previous anchor")
        if anchor["period_start"] < previous["period_end"]:
            self.fail("anchor_period_differs", what, "its period begins before the previous one ends")

    def check_anchor_events(self, value, anchor, what):
        """That they are those that it is the root of; all stand in their places."""
        first, last, begin = value["first_sequence"], value["last_sequence"], self.period_begins
        held = self.before if first == self.first - 1 else begin.event_hash if begin.sequence == first else None
        if held is not None and anchor["first_event_hash"] != held:
            self.fail("anchor_events_differ", what, "first_event_hash is another event's")
        if last <= self.to and anchor["last_event_hash"] != self.last.event_hash:
            self.fail("anchor_events_differ", what, "last_event_hash is another event's")
        start, end = moment(anchor["period_start"]), moment(anchor["period_end"])
        if not start <= event_moment(begin.created_at) or not event_moment(self.last.created_at) < end:
            self.fail("anchor_period_differs", what, "its events were not all recorded within its period")
        after = from_hex(value["after"])
        if not grows_into(self.period, anchor["events_count"], bytes.fromhex(anchor["merkle_root"]), after):
            message = f"the hashes of its events give a different root: {self.period.root().hex()}, over those in the bundle"
            return self.fail("anchor_root_differs", what, message)
        held = say_range(max(first, self.first), min(last, self.to))
        return self.findings.prove(what, f"its root holds the hashes of {held}")

    def check_transaction(self, value, anchor, what):
        if anchor["status"] != "confirmed":
            return self.findings.skip(what, "it is not on a blockchain yet")
        if len(value["transactions"]) != 1:
            return self.fail("transaction_differs", what, "the bundle must hold exactly one transaction, its own")
        if len(value["transactions"][0]) > 2 + 2 * MAX_TRANSACTION:
            return self.fail("transaction_malformed", what, f"its transaction has more than {MAX_TRANSACTION} bytes")
        raw = bytes.fromhex(value["transactions"][0][2:])
        if "0x" + keccak256(self.work, raw).hex() != anchor["tx_hash"]:
            return self.fail("transaction_differs", what, "its transaction has another hash than tx_hash")
        try:
            transaction = read_transaction(self.work, raw)
        except Malformed as error:
            return self.fail("transaction_malformed", what, f"its transaction cannot be read: {error}")
        if transaction.chain_id != self.chain_id:
            self.fail("transaction_chain", what, f"its transaction is not of chain {self.chain_id}")
        if transaction.to != transaction.sender or transaction.value != 0:
            message = "its transaction must go from an account to itself and transfer no value"
            self.fail("transaction_sender", what, message)
        self.check_payload(anchor, transaction.data, what)
        if value["block"] is None:
            return self.findings.skip(
                what, f"whether block {anchor['block_number']} holds its transaction: the bundle has no proof of it"
            )
        return self.check_block(value["block"], anchor, raw, what)

    def check_payload(self, anchor, data, what):
        entries = data[len(PAYLOAD_BEGINS) :]
        if not data.startswith(PAYLOAD_BEGINS) or len(entries) % ENTRY_BYTES != 0:
            return self.fail("transaction_payload", what, "its transaction carries no anchors")
        log = self.work.sha256(self.header["origin"].encode())
        own = [
            entries[at + 32 : at + ENTRY_BYTES]
            for at in range(0, len(entries), ENTRY_BYTES)
            if entries[at : at + 32] == log
        ]
        expected = bytes.fromhex(anchor["merkle_root"] + (anchor["previous_anchor_hash"] or "00" * 32))
        if own != [expected]:
            message = "its transaction does not carry its root and the hash of the anchor before, once"
            self.fail("transaction_payload", what, message)
        return None

    def check_block(self, block, anchor, raw, what):
        if any(len(part) > 2 + 2 * MAX_NODE for part in (block["header"], *block["proof"])):
            return self.fail("block_proof", what, f"a part of the proof has more than {MAX_NODE} bytes")
        header, proof = (bytes.fromhex(block["header"][2:]), [bytes.fromhex(node[2:]) for node in block["proof"]])
        try:
            number, timestamp, root = read_block(header)
            if trie_value(self.work, root, rlp_number(block["transaction_index"]), proof) != raw:
                raise Malformed("another transaction stands there")
        except Malformed as error:
            return self.fail("block_proof", what, f"the proof does not show its transaction in the block: {error}")
        if number != anchor["block_number"] or timestamp * 1e6 < moment(anchor["period_end"]) - CLOCK_SKEW:
            message = "its transaction is in another block than it says, or in one from before the end of its period"
            return self.fail("block_differs", what, message)
        hashed = keccak256(self.work, header).hex()
        message = f"whether block {number}, which holds its transaction, is on the chain: its hash is 0x{hashed}"
        return self.findings.skip(what, message)

    # Checkpoint and removals.

    def finish_events(self):
        last = self.first - 1 if self.last is None else self.last.sequence
        if last < self.to:
            self.complete = False
            self.fail("range_incomplete", BUNDLE, f"{say_range(last + 1, self.to)} of the range are missing")

    def read_checkpoint(self, value):
        self.checkpoints += 1
        self.finish_events()
        try:
            note = parse_note(value["note"])
            checkpoint = parse_checkpoint(note[0])
        except Malformed:
            return self.fail("checkpoint_malformed", "checkpoint", "it is not a signed note that contains a checkpoint")
        what = f"checkpoint of {checkpoint.size}"
        self.check_signatures(note, what)
        if checkpoint.origin != self.header["origin"]:
            return self.fail("checkpoint_of_another_log", what, "it is the checkpoint of another log")
        self.checkpoint = checkpoint
        if checkpoint.size < self.to:
            return self.fail("checkpoint_behind", what, "it covers fewer events than the bundle")
        if self.empty:
            if value["after"] or (checkpoint.size == 0 and checkpoint.root != self.work.sha256(b"")):
                return self.fail("checkpoint_root_differs", what, "it does not fit a range without events")
            self.checkpoint_holds = checkpoint.size == 0
            if not self.checkpoint_holds:
                self.findings.skip(what, "whether it covers the events: there are none in the bundle")
            return None
        if not self.has_trees():
            return self.findings.skip(what, "whether it covers the events: their tree cannot be computed")
        if not grows_into(self.log, checkpoint.size, checkpoint.root, from_hex(value["after"])):
            message = "its root does not cover the bundle's events: it was signed for a different log"
            return self.fail("checkpoint_root_differs", what, message)
        self.checkpoint_holds = True
        message = f"its root covers the hash of every event of the bundle, each at its place among {checkpoint.size}"
        return self.findings.prove(what, message)

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
        if self.keys and not found:
            return self.fail("checkpoint_not_signed", what, "no key that you trust has signed it")
        for key in found:
            self.findings.prove(what, f"it is signed by {key.text}")
        if not self.keys:
            return self.findings.skip(
                what, "that a key of the service signed it: --trusted-key, from a source you trust"
            )
        self.signed = set(found)
        return None

    def read_removal(self, value):
        self.removals += 1
        event, header = value["event"], value["event"]["header"]
        what = named(header["sequence"], header["id"])
        try:
            self.check_removal(event, header)
        except Malformed as error:
            return self.fail("removal_not_in_log", what, f"it does not record a removal in this log: {error}")
        if not (CONTENT(event["content"]) and self.removed(event["content"], header["sequence"])):
            return self.fail("removal_not_in_log", what, "it records no removal")
        return None

    def check_removal(self, event, header):
        """That the event is in the log; Malformed says why not."""
        sequence, content = header["sequence"], event["content"]
        if self.checkpoint is None or self.empty or not self.to < sequence <= self.checkpoint.size:
            raise Malformed("there is no checkpoint that holds it, or its place is in the range")
        if sequence in self.removal_events:
            raise Malformed("it stands twice")
        self.removal_events.add(sequence)
        if header["workspace_id"] != self.workspace:
            raise Malformed("it is another workspace's")
        salt = (event["salt"] or "").encode()
        if content is None or content_hash(self.work, salt, canonical_json(content).encode()) != header["content_hash"]:
            raise Malformed("its content is not the one that was hashed")
        if not EVENT_MOMENT.fullmatch(header["created_at"]) or moment(header["created_at"]) is None:
            raise Malformed("it was recorded at no time")
        members = ("content_hash", "created_at", "id", "previous_event_hash", "sequence", "workspace_id")
        leaf = leaf_hash(self.work, event_hash(self.work, *(header[name] for name in members)))
        _, size, root = self.checkpoint
        if not includes(self.work, leaf, sequence - 1, size, root, from_hex(event["inclusion"])):
            raise Malformed("it is not in the checkpoint's tree")
        self.check_anchored(event["anchored"], leaf, sequence)

    def check_anchored(self, anchored, leaf, sequence):
        last = self.anchor
        due = last is not None and last["last_sequence"] >= sequence
        if anchored is None:
            if due:
                raise Malformed("nothing shows it in the anchor that holds it")
            return
        anchor, index = anchored["anchor"], anchored["leaf_index"]
        root = bytes.fromhex(anchor["merkle_root"]) if is_hash(anchor["merkle_root"]) else None
        if not includes(self.work, leaf, index, anchor["events_count"], root, from_hex(anchored["hashes"])):
            raise Malformed("it is not in the tree of its anchor")
        same = ("merkle_root", "previous_anchor_hash", "events_count", "period_end", "first_event_hash", "last_event_hash")
        if due and (
            index != sequence - last["first_sequence"] or any(anchor[one] != last["anchor"][one] for one in same)
        ):
            raise Malformed("it is shown in another anchor than the one that holds it")

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
        self.finish_missing()
        if self.checkpoints == 0 and self.keys:
            message = "there is no checkpoint, so no key that you trust has signed this log"
            self.fail("checkpoint_missing", BUNDLE, message)
        elif self.checkpoints == 0:
            self.findings.skip(BUNDLE, "whether these are the events of the log: there is no checkpoint")
        if self.last is not None and self.period_first <= self.last.sequence:
            held = say_range(self.period_first, self.last.sequence)
            self.findings.skip(BUNDLE, f"{held}: no anchor in the bundle holds them yet")
        self.check_end()
        if self.findings.failures == 0 and self.events > 0:
            held = say_range(self.first, self.to)
            self.findings.prove(BUNDLE, f"{held}: each has its hash and follows the one before it")

    def finish_missing(self):
        """What is left of the contents that are missing."""
        unclear, listed = 0, 0
        for sequence in self.missing:
            if sequence < self.unclear_below:
                unclear += 1
            elif listed < MAX_LISTED:
                listed += 1
                message = "its content is missing, but no event of the log records a removal"
                self.fail("content_missing", f"event {sequence}", message)
            if sequence == 1 and sequence < self.unclear_below and self.first_is_gone:
                message = "whether the chain began without earlier events: the content that says so was removed"
                self.findings.skip("event 1", message)
        if unclear:
            message = "the removal was recorded in an older form, which does not say"
            self.findings.skip(BUNDLE, f"whether Cairn had to keep the {unclear} missing contents: {message}")

    def check_end(self):
        if self.end is None:
            return self.fail("cut_off", BUNDLE, "the closing line is missing: the file was cut off")
        counts = {"anchors": self.anchors, "events": self.events, "legacy": self.legacy.size, "removals": self.removals}
        for name, count in counts.items():
            if self.end[name] != count:
                message = f"the closing line counts {self.end[name]} {name}, and there are {count}"
                self.fail("counts_differ", BUNDLE, message)
        return None

    def holds_under(self, key):
        """Whether a trusted key covers the events of the file."""
        no_events = self.legacy.size > 0 and self.events == 0
        return key in self.signed and self.checkpoint_holds and not no_events

    def tree(self):
        """Size and root of the log's tree at the end of the range, of an empty one at its checkpoint; None if there is none."""
        if not self.empty:
            return (self.log.size, self.log.root()) if self.has_trees() else None
        return self.checkpoint[1:] if self.checkpoint is not None else None


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
                raise Damaged(f"no gzip: {error}") from None
            if piece:
                yield piece
            packed = unpacker.unconsumed_tail or (b"" if unpacker.eof else file.read(PIECE))
        if not unpacker.eof:
            raise Damaged("no gzip, or cut off")
        if unpacker.unused_data or file.read(1):
            raise Damaged("something follows the gzip stream")


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
BLOCK_HASH = re.compile(r"(0|[1-9][0-9]{0,15})=(0x[0-9a-fA-F]{64})")
ADDRESS = re.compile(r"0x[0-9a-f]{40}")


def run(verifier, path):
    """Reads a bundle to its end; says why it could not, or None."""
    try:
        for line in lines_of(path):
            verifier.line(line)
        verifier.finish()
    except Damaged as error:
        verifier.findings = Findings()
        return shown(str(error))
    except Unreadable as error:
        return shown(f"line {verifier.lines + 1}: {error}")
    except OSError as error:
        return shown(str(error))
    return None


SHORT = 200
MAX_NAMED = 1000


def brief(value):
    """What is kept of a value to compare it with another: a long text's hash."""
    return hashlib.sha256(value.encode()).digest() if type(value) is str and len(value) > SHORT else value


def kept(value):
    """Of an anchor, where it lies, what never changes, and what a reorganisation of the chain may change."""
    anchor, changing = value["anchor"], ("status", "explorer_url", "tx_hash", "block_number")
    fixed = tuple(brief(anchor[name]) for name in sorted(anchor) if name not in changing)
    of_chain = (brief(anchor["tx_hash"]), anchor["block_number"])
    return ((value["first_sequence"], value["last_sequence"]), fixed, of_chain)


class Comparison:
    """Holds the events and anchors of a later bundle against those of an earlier one, of which it reads the events again."""

    def __init__(self, work, path, anchors):
        self.work, self.anchors, self.findings = work, anchors, Findings()
        self.events = self.placed(path)
        self.next = next(self.events, None)
        self.named = 0

    def placed(self, path):
        for line in lines_of(path):
            self.work.parsed += len(line)
            if line.endswith(b',"type":"event"}'):
                yield event_line(line)

    def event(self, event):
        while self.next is not None and self.next.sequence < event.sequence:
            self.next = next(self.events, None)
        if self.next is None or self.next.sequence != event.sequence:
            return
        if event.content is None and (self.next.content or b"").startswith(OWN_RECORDS):
            message = "its content is gone, but Cairn never removes the content of this kind of record"
            self.findings.fail("dropped_since", named(event.sequence, event.id), message)
        if self.next.event_hash == event.event_hash:
            return
        same = ("id", "created_at", "content_hash")
        if all(getattr(self.next, name) == getattr(event, name) for name in same):
            said = "as in the earlier bundle, and after other events than there"
        else:
            said = f"in the earlier bundle it is {self.next.id}, {self.said(self.next)}; now it is {self.said(event)}"
        self.findings.fail("changed_since", named(event.sequence, event.id), said)

    def said(self, event):
        """Who, what and when, of as many events as anybody reads."""
        self.named += 1
        content = None
        if event.content is not None and self.named <= MAX_NAMED:
            try:
                content = parse_content(self.work, event.content)
            except Malformed:
                pass
        return said_of(content, event.created_at)

    def anchor(self, value):
        before, now = self.anchors.pop(brief(value["anchor"]["id"]), None), kept(value)
        if before is None:
            return
        what = f"anchor {value['anchor']['id']}"
        if before[:2] != now[:2]:
            self.findings.fail("changed_since", what, "it is not the same as in the earlier bundle")
        elif any(was not in (None, one) for was, one in zip(before[2], now[2])):
            message = "whether the chain was reorganised: its transaction or block is not the one in the earlier bundle"
            self.findings.skip(what, message)

    def finish(self, older, newer):
        """Both have been read to their ends."""
        findings = self.findings
        if older.header["origin"] != newer.header["origin"] or older.workspace != newer.workspace:
            return findings.fail("another_log", BUNDLE, "the bundles are of different logs")
        for (first, last), *_ in self.anchors.values():
            if first <= newer.to and last >= newer.first:
                what = f"anchor of {say_range(first, last)}"
                findings.fail("dropped_since", what, "the later bundle no longer contains it")
        self.legacy(older, newer)
        if newer.legacy.size > 0 and newer.events == 0:
            findings.unproven(BUNDLE, "the events from before the chain: event 1, which commits to them, is missing")
        tree = older.tree()
        if tree is None:
            message = "whether the log continues that of the earlier bundle, whose tree cannot be computed"
            findings.unproven(BUNDLE, message)
        else:
            self.hold(newer, "the earlier bundle", *tree, findings.unproven)
        checkpoint = older.checkpoint
        if checkpoint is not None and (tree is None or checkpoint.size != tree[0]):
            self.hold(newer, "the earlier bundle's checkpoint", checkpoint.size, checkpoint.root, findings.skip)
        return None

    def legacy(self, older, newer):
        """That the history from before the chain begins with that of the earlier bundle."""
        count, what = older.legacy.size, f"the {older.legacy.size} events from before the chain of the earlier bundle"
        if count > 0 and newer.first > 1:
            self.findings.skip(BUNDLE, f"{what}: outside the later bundle's range")
        elif count > 0 and newer.legacy.size < count:
            self.findings.fail("dropped_since", BUNDLE, f"{what} are not all in the later one")
        elif count > 0 and newer.legacy_root != older.legacy.root():
            self.findings.fail("changed_since", BUNDLE, f"{what} are different in the later one")

    def hold(self, newer, source, size, root, otherwise):
        """That the later log had this root at this size."""
        findings, checkpoint, what = self.findings, newer.checkpoint, f"checkpoint of {size}"
        now = newer.roots.get(size) if newer.has_trees() else None
        if now is None and checkpoint is not None and checkpoint.size == size:
            now = checkpoint.root
        if now is None and max(newer.to, checkpoint.size if checkpoint else 0) < size:
            findings.fail("dropped_since", what, f"the log is shorter than that of {source}")
        elif now is None and size > 0:
            otherwise(what, f"whether the log continues that of {source}: the later bundle has no tree of that size")
        elif now is not None and now != root:
            findings.fail("checkpoint_inconsistent", what, f"the log is not a continuation of that of {source}")
        else:
            findings.prove(what, f"the log is a continuation of that of {source}, up to event {size}")


def compare(work, old, new, keys, chain_id):
    """Verifies both, and one against the other; answers both verifiers, what was found of both, and why one cannot be read."""
    anchors = {}

    def keep(value):
        if older.findings.failures == 0:
            anchors[brief(value["anchor"]["id"])] = kept(value)

    older = Verifier(work, keys, chain_id, on_anchor=keep)
    reason = run(older, old)
    if reason is not None or older.findings.failures:
        newer = Verifier(work, keys, chain_id)
        return older, newer, Findings(), (reason, run(newer, new))
    tree = older.tree()
    sizes = {known[0] for known in (tree, older.checkpoint and older.checkpoint[1:]) if known is not None}
    comparison = Comparison(work, old, anchors)
    newer = Verifier(work, keys, chain_id, sizes, comparison.event, comparison.anchor)
    newer.legacy_watched = older.legacy.size
    reason = run(newer, new)
    if reason is not None:
        return older, newer, Findings(), (reason,)
    comparison.finish(older, newer)
    return older, newer, comparison.findings, (None,)


def verify(files, trusted_keys=(), anchor_address=None, block_hashes=(), chain_id=BASE_CHAIN):
    """
    Verifies the bundle in one file, or in two, of which the later one must continue the earlier one, and answers a Report: its
    `verdict` is one of the names in STATUS. Keys are texts, name+id+base64. ValueError for options that are none.
    """
    work = Work()
    if len(files) not in (1, 2) or not is_integer(chain_id):
        raise ValueError("one bundle, or two, and the number of a chain")
    keys = []
    for key in trusted_keys:
        try:
            keys.append(parse_verifier_key(work, key.strip()))
        except ValueError as error:
            raise ValueError(f"--trusted-key {key}: {error}") from None
    if anchor_address is not None and not ADDRESS.fullmatch(anchor_address.lower()):
        raise ValueError(f"--anchor-address {anchor_address}: not an address")
    blocks = {}
    for one in block_hashes:
        match = BLOCK_HASH.fullmatch(one)
        if match is None or int(match[1]) > MAX_SAFE:
            raise ValueError(f"--block-hash {one}: not NUMBER=HASH")
        if blocks.setdefault(match[1], match[2].lower()) != match[2].lower():
            raise ValueError(f"--block-hash {one}: two hashes for one block")
    brought = Findings()
    if len(files) == 1:
        verifiers = [Verifier(work, keys, chain_id)]
        reasons = [run(verifiers[0], files[0])]
        told = [("", verifiers[0].findings), ("", brought)]
    else:
        *verifiers, found, reasons = compare(work, *files, keys, chain_id)
        told = [(said, one.findings) for said, one in zip(("earlier bundle: ", "later bundle: "), verifiers)]
        told += [("", found), ("", brought)]
    hold(verifiers, keys, anchor_address, block_hashes, brought)
    listed = [one._replace(subject=said + one.subject) for said, found in told for one in found.listed]
    counts = sum((found.counts for _, found in told), collections.Counter())
    unreadable = "; ".join(reason for reason in reasons if reason is not None) or None
    verdict = (
        "tampered"
        if counts["failed"]
        else "unreadable"
        if unreadable is not None
        else "unproven"
        if counts["unproven"]
        else "intact"
        if keys or len(files) == 2
        else "hashes_hold"
    )
    return Report(verdict, STATUS[verdict], listed, unreadable, work.hashed, work.parsed)


def hold(verifiers, keys, anchor_address, block_hashes, findings):
    """What became of the things that the auditor brought."""
    for key in keys:
        held = [one.to for one in verifiers if one.holds_under(key)]
        if held:
            findings.prove(BUNDLE, f"it is the log that {key.text} has signed, up to event {max(held)}")
        else:
            findings.unproven(BUNDLE, f"--trusted-key {key.text}: no signature of this key covers an event of the file")
    if anchor_address is not None:
        findings.unproven(
            BUNDLE, "--anchor-address: this program does not check who sent an anchor; cairn-verify does"
        )
    for one in block_hashes:
        findings.unproven(
            BUNDLE, f"--block-hash {one}: this program does not check blocks; cairn-verify does"
        )


SAID = {
    "intact": "INTACT",
    "hashes_hold": "HASHES HOLD: the file agrees with itself. That this is the service's log, and the whole of it, is not proven: "
    "anyone with the database could have made this file. Give --trusted-key, or an older bundle.",
    "tampered": "TAMPERED",
    "unreadable": "UNREADABLE",
    "unproven": "UNPROVEN: nothing failed, but something that you gave matches nothing in the file",
}


def print_report(report):
    print(SAID[report.verdict])
    if report.unreadable is not None:
        print(f"  cannot be read further: {report.unreadable}")
    for kind in ("failed", "unproven", "proven", "not_checked"):
        for finding in report.findings:
            if finding.kind == kind:
                code = f" [{finding.code}]" if finding.code else ""
                print(f"  {kind.replace('_', ' ')}: {finding.subject}: {finding.message}{code}")


def answer(line):
    """The answer to one request of --batch: both are JSON objects."""
    try:
        request = json.loads(line.decode())
        if not is_object(request):
            raise ValueError("a request is a JSON object")
        options = ("trusted_keys", "anchor_address", "block_hashes", "chain_id")
        unknown = set(request) - {"id", "files", *options}
        if unknown or not list_of(is_text)(request.get("files")) or len(request["files"]) not in (1, 2):
            raise ValueError("a request has files, one or two, and may have id and the options of verify()")
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
    parser.add_argument(
        "--trusted-key", action="append", default=[], metavar="KEY", help="name+id+base64; several times"
    )
    parser.add_argument("--anchor-address", metavar="0x…", help="taken, and answered UNPROVEN: see cairn-verify")
    parser.add_argument("--block-hash", action="append", default=[], metavar="NUMBER=HASH", help="the same")
    parser.add_argument("--chain-id", type=int, default=BASE_CHAIN, help="the chain that anchors are sent to")
    parser.add_argument("--batch", action="store_true", help="read a request from each line of the standard input")
    given = parser.parse_args(arguments)
    sys.stdout.reconfigure(errors="backslashreplace")
    if given.batch:
        for line in sys.stdin.buffer:
            print(json.dumps(answer(line)), flush=True)
        return 0
    if len(given.files) not in (1, 2):
        parser.error("one bundle, or two")
    try:
        report = verify(given.files, given.trusted_key, given.anchor_address, given.block_hash, given.chain_id)
    except ValueError as error:
        parser.error(str(error))
    print_report(report)
    return report.status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
