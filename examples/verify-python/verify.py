#!/usr/bin/env python3
"""A second opinion on an evidence bundle of a Cairn log, written from docs/Evidence.md and docs/HashFormat.md alone.

    python3 verify.py BUNDLE

Python 3.9 or newer, and nothing but its standard library. It checks content hashes, the chain, removals, the history from before the
chain, the roots of anchors and the root of the checkpoint. It checks no signature and nothing of a blockchain, and says so.

Exits with 0 if all of that holds, 1 if something does not, 2 if the file cannot be read.
"""

import base64
import gzip
import hashlib
import json
import re
import sys
import zlib

MAX_LINE = 8 * 1024 * 1024
FIRST_LEGACY_SEQUENCE = -(2**35)


class Unreadable(Exception):
    """The file, or the rest of it, is no bundle."""


def sha256(data):
    return hashlib.sha256(data).digest()


# The Merkle tree: RFC 6962 section 2.1, the same as RFC 9162.


def leaf_hash(event_hash):
    return sha256(b"\x00" + event_hash)


def node_hash(left, right):
    return sha256(b"\x01" + left + right)


class Tree:
    """The complete subtrees of a tree that grows, largest first: all that a root and the next leaf need."""

    def __init__(self, size=0, hashes=()):
        if bin(size).count("1") != len(hashes):
            raise Unreadable("a frontier that no tree of its size has")
        self.size = size
        self.hashes = list(hashes)

    def add(self, event_hash):
        node, size = leaf_hash(event_hash), self.size
        while size % 2 == 1:
            node, size = node_hash(self.hashes.pop(), node), size // 2
        self.hashes.append(node)
        self.size += 1

    def root(self):
        if not self.hashes:
            return sha256(b"")
        node = self.hashes[-1]
        for left in reversed(self.hashes[:-1]):
            node = node_hash(left, node)
        return node


def grows_into(tree, size, root, proof):
    """Whether `tree` is the beginning of the tree with this size and root, by a consistency proof (RFC 9162 section 2.1.4.2)."""
    if tree.size == size:
        return not proof and tree.root() == root
    if not 0 < tree.size < size or not proof:
        return False
    nodes = list(proof)
    if tree.size & (tree.size - 1) == 0:
        nodes.insert(0, tree.root())
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
    return second == 0 and old == tree.root() and new == root


def includes(event_hash, index, size, root, proof):
    """Whether the leaf at `index` stands in the tree (RFC 9162 section 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    first, second, node = index, size - 1, leaf_hash(event_hash)
    for sibling in proof:
        if second == 0:
            return False
        if first % 2 == 1 or first == second:
            node = node_hash(sibling, node)
            while first % 2 == 0 and first != 0:
                first, second = first // 2, second // 2
        else:
            node = node_hash(node, sibling)
        first, second = first // 2, second // 2
    return second == 0 and node == root


# The hash format, version 1.


def content_hash(salt, content):
    return sha256(b"cairn.content.v1\n" + salt + b"\n" + content).hex()


def event_hash(content, created_at, event_id, previous, sequence, workspace_id):
    header = json.dumps(
        {
            "content_hash": content,
            "created_at": created_at,
            "id": event_id,
            "previous_event_hash": previous,
            "sequence": sequence,
            "v": 1,
            "workspace_id": workspace_id,
        },
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
    )
    return sha256(b"cairn.event.v1\n" + header.encode()).hex()


# The lines. What follows a content is of fixed form, so the content is cut out as it stands and hashed as it stands.

HASH = rb'"([0-9a-f]{64})"'
EVENT = re.compile(
    rb'\{"content":(.*),"content_hash":' + HASH + rb',"created_at":"([0-9TZ:.-]+)","event_hash":' + HASH + rb',"id":"([0-9a-f-]{36})",'
    rb'"previous_event_hash":(?:' + HASH + rb'|null),"salt":(?:"([0-9a-f]{32})"|null),"sequence":([0-9]+),"type":"event"\}',
    re.DOTALL,
)
LEGACY = re.compile(
    rb'\{"content":(.*),"content_hash":(?:' + HASH + rb'|null),"created_at":"([0-9TZ:.-]+)","id":"([0-9a-f-]{36})",'
    rb'"salt":(?:"([0-9a-f]{32})"|null),"sequence":(-[0-9]+),"type":"legacy"\}',
    re.DOTALL,
)


def text(group):
    return None if group is None else group.decode()


def from_hex(hashes):
    return [bytes.fromhex(one) for one in hashes]


class Verifier:
    def __init__(self):
        self.failed = []
        self.proven = []
        self.header = None
        self.prefix = None
        self.last = None
        self.events = 0
        self.complete = True
        self.missing = set()
        self.legacy = Tree()
        self.log = None
        self.period = None
        self.period_first = None
        self.anchors = []
        self.checkpoint = None
        self.removals = 0
        self.end = None

    def fail(self, what, message):
        self.failed.append(f"{what}: {message}")

    # The stages of a bundle, in their order.

    def line(self, line):
        if self.end is not None:
            raise Unreadable("a line after the closing one")
        match = EVENT.fullmatch(line)
        if match:
            return self.event(match)
        match = LEGACY.fullmatch(line)
        if match:
            return self.legacy_event(match)
        value = json.loads(line.decode())
        kind = value.get("type") if isinstance(value, dict) else None
        if (kind == "header") != (self.header is None):
            raise Unreadable("a bundle has one header, before everything else")
        if kind not in ("header", "prefix", "anchor", "checkpoint", "removal", "end"):
            raise Unreadable("a line of an unknown type")
        getattr(self, "read_" + kind)(value)

    def read_header(self, value):
        if value["format"] != "cairn-evidence/1":
            raise Unreadable("another format")
        self.header = value

    def read_prefix(self, value):
        self.prefix = value

    def begin(self):
        """The trees before the range."""
        if self.log is not None:
            return
        first = self.header["from"]
        self.log, self.period, self.period_first = Tree(), Tree(), first
        if first == 1 or self.prefix is None:
            self.complete = first == 1
            return
        self.log = Tree(first - 2, from_hex(self.prefix["log"]))
        period = self.prefix["period"]
        if period is not None:
            self.period_first = period["first_sequence"]
            self.period = Tree(first - 1 - self.period_first, from_hex(period["hashes"]))

    def legacy_event(self, match):
        content, stored, created_at, event_id, salt, sequence = match.groups()
        sequence = int(sequence)
        what = f"event {sequence}"
        if sequence != FIRST_LEGACY_SEQUENCE + self.legacy.size:
            self.fail(what, "does not follow the one before it")
        if salt is None:
            self.missing.add(sequence)
            computed = text(stored)
        else:
            computed = content_hash(salt, content)
            if stored is not None and text(stored) != computed:
                self.fail(what, "its content is not what was hashed")
        self.legacy.add(
            bytes.fromhex(
                event_hash(computed, text(created_at), text(event_id), None, sequence, self.header["workspace_id"])
            )
        )

    def event(self, match):
        content, stored, created_at, hashed, event_id, previous, salt, sequence = match.groups()
        if self.header is None:
            raise Unreadable("an event before the header")
        self.begin()
        self.events += 1
        sequence, previous, hashed, created_at = int(sequence), text(previous), text(hashed), text(created_at)
        what = f"event {sequence} ({text(event_id)})"
        expected = self.header["from"] if self.last is None else self.last["sequence"] + 1
        if sequence != expected or sequence > self.header["to"]:
            self.complete = False
            self.fail(what, f"event {expected} should stand here")
        elif self.last is None and sequence > 1:
            # The event before the range is known by its hash alone: it is a leaf like any other.
            self.log.add(bytes.fromhex(previous or ""))
            if self.period_first < sequence:
                self.period.add(bytes.fromhex(previous or ""))
        elif previous != (None if self.last is None else self.last["hash"]):
            self.fail(what, "previous_event_hash is not the hash of the event before it")
        if self.last is not None and created_at <= self.last["created_at"]:
            self.fail(what, "created_at is not later than the event's before")
        computed = event_hash(text(stored), created_at, text(event_id), previous, sequence, self.header["workspace_id"])
        if computed != hashed:
            self.fail(what, f"its header is not what was hashed: {computed} is not {hashed}")
        if salt is None:
            self.missing.add(sequence)
        elif content_hash(salt, content) != text(stored):
            self.fail(what, "its content is not what was hashed")
        else:
            self.system_event(sequence, content)
        self.log.add(bytes.fromhex(hashed))
        self.period.add(bytes.fromhex(hashed))
        self.last = {"sequence": sequence, "hash": hashed, "created_at": created_at}

    def system_event(self, sequence, content):
        """Three of Cairn's own actions mean something to a verifier; nobody else can write them."""
        parsed = json.loads(content) if content.startswith(b'{"action":"cairn.') else {"action": ""}
        if sequence == 1:
            self.check_legacy(parsed)
        self.removed(parsed, sequence)

    def check_legacy(self, first):
        claimed, root = 0, None
        if first["action"] == "cairn.chain.started":
            claimed, root = first["metadata"]["legacy_events"], first["metadata"]["legacy_merkle_root"]
        if self.legacy.size == 0:
            return
        if (claimed, root) != (self.legacy.size, self.legacy.root().hex()):
            self.fail("event 1", f"it commits to {claimed} events from before the chain, and these are others")
        else:
            self.proven.append(f"{claimed} events from before the chain are those that it began after")

    def removed(self, content, by):
        if content["action"] == "cairn.retention.applied":
            below = min(content["metadata"]["below_sequence"], by)
            self.missing = {sequence for sequence in self.missing if sequence >= below}
        if content["action"] == "cairn.event.erased":
            self.missing -= {sequence for sequence in content["metadata"]["sequences"] if sequence < by}

    def read_anchor(self, value):
        self.begin()
        anchor = value["anchor"]
        what, first, last = f"anchor {anchor['id']}", value["first_sequence"], value["last_sequence"]
        if anchor["events_count"] != last - first + 1:
            self.fail(what, "events_count is not the number of its events")
        if self.anchors:
            before = self.anchors[-1]
            link = sha256((before["merkle_root"] + (before["tx_hash"] or "")).encode()).hex()
            if anchor["previous_anchor_hash"] != link:
                self.fail(what, "previous_anchor_hash is not that of the anchor before it")
        self.anchors.append(anchor)
        reached = self.last["sequence"] if self.last else 0
        if not self.complete or last < self.header["from"] or first != self.period_first:
            return
        if reached != min(last, self.header["to"]):
            self.fail(what, "it does not stand where its events end")
        elif not grows_into(
            self.period, anchor["events_count"], bytes.fromhex(anchor["merkle_root"]), from_hex(value["after"])
        ):
            self.fail(what, f"the root over its events is {self.period.root().hex()}, not {anchor['merkle_root']}")
        else:
            self.proven.append(f"{what}: its root holds events {max(first, self.header['from'])} to {reached}")
        self.period, self.period_first = Tree(), last + 1

    def read_checkpoint(self, value):
        self.begin()
        origin, size, root = value["note"].split("\n")[:3]
        root = base64.b64decode(root, validate=True)
        self.checkpoint = (int(size), root)
        what = f"checkpoint of {size}"
        if origin != self.header["origin"]:
            self.fail(what, "it is another log's")
        if not self.complete or self.events == 0:
            return
        if not grows_into(self.log, int(size), root, from_hex(value["after"])):
            self.fail(what, "its root is not that of a log that begins with these events")
        else:
            self.proven.append(f"{what}: its root holds every event of the bundle")

    def read_removal(self, value):
        self.removals += 1
        event, header = value["event"], value["event"]["header"]
        what = f"event {header['sequence']}"
        # Canonical JSON in short: right for what Cairn writes in these events, and wrong hashes would show if it were not.
        content = json.dumps(event["content"], sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        hashed = event_hash(
            header["content_hash"],
            header["created_at"],
            header["id"],
            header["previous_event_hash"],
            header["sequence"],
            header["workspace_id"],
        )
        holds = (
            self.checkpoint is not None
            and header["workspace_id"] == self.header["workspace_id"]
            and content_hash(event["salt"].encode(), content) == header["content_hash"]
            and includes(bytes.fromhex(hashed), header["sequence"] - 1, *self.checkpoint, from_hex(event["inclusion"]))
        )
        if holds:
            self.removed(event["content"], header["sequence"])
        else:
            self.fail(what, "it is said to record a removal, and is not in the log")

    def read_end(self, value):
        self.end = value

    def finish(self):
        if self.header is None:
            raise Unreadable("an empty file")
        first, last = self.header["from"], self.header["to"]
        if self.events != last - first + 1:
            self.fail("bundle", f"there are {self.events} events, not those from {first} to {last}")
        for sequence in sorted(self.missing):
            self.fail(f"event {sequence}", "its content is missing, and no event of the log records a removal")
        if self.end is None:
            return self.fail("bundle", "the closing line is missing")
        counts = (len(self.anchors), self.events, self.legacy.size, self.removals)
        if counts != tuple(self.end[name] for name in ("anchors", "events", "legacy", "removals")):
            self.fail("bundle", "the closing line counts other lines than there are")
        if not self.failed:
            self.proven.insert(0, f"events {first} to {last}: each is what was hashed and follows the one before it")


def read(path, verifier):
    with gzip.open(path, "rb") as lines:
        while True:
            line = lines.readline(MAX_LINE + 2)
            if not line:
                break
            if not line.endswith(b"\n") or len(line) > MAX_LINE + 1:
                raise Unreadable("a line that is cut off or too long")
            verifier.line(line[:-1])


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    verifier = Verifier()
    unreadable = None
    try:
        read(sys.argv[1], verifier)
        verifier.finish()
    except (Unreadable, OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        unreadable = f"{type(error).__name__}: {error}"
    except RecursionError:
        unreadable = "a line nested too deep"
    status = 1 if verifier.failed else 2 if unreadable else 0
    print(["INTACT", "TAMPERED", "UNREADABLE"][status])
    if unreadable:
        print(f"  cannot be read on: {unreadable}")
    for failure in verifier.failed:
        print(f"  failed: {failure}")
    for proof in verifier.proven:
        print(f"  proven: {proof}")
    print("  not checked: signatures, transactions, blocks")
    return status


if __name__ == "__main__":
    sys.exit(main())
