"""What the conformance suite cannot say: threads, forks, ends, connections."""

import asyncio
import base64
import contextvars
import hashlib
import hmac
import json
import os
import socket
import subprocess
import sys
import threading
import time
import unittest

from cairn_client import (
    AsyncCairn,
    Batch,
    Cairn,
    CairnApiError,
    CairnTimeoutError,
    ClosedError,
    MemoryQueue,
    Retry,
    WebhookError,
    verify_webhook,
)

from .scripted_server import ScriptedServer

EVENT = {"actor_id": "ada", "action": "invoice.paid"}
ONE = {"expect": {"method": "POST", "path": "/api/v1/events"}, "answer": {"take": "queued"}}
FAST = Retry(0.001, 0.004)


class Peer:
    """A server of sockets: `serve` has each connection."""

    def __init__(self, serve):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.serve = serve
        self.count = 0
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.count += 1
            threading.Thread(target=self.guarded, args=(connection, self.count), daemon=True).start()

    def guarded(self, connection, number):
        with connection:
            try:
                self.serve(connection, number)
            except OSError:
                pass

    def close(self):
        self.listener.close()


def request_of(connection):
    """Reads one request with its body."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return None
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        (int(l.split(b":")[1]) for l in head.split(b"\r\n") if l.lower().startswith(b"content-length:")), 0
    )
    while len(body) < length:
        body += connection.recv(65536)
    return head, body


def answer(body, status="202 Accepted", more=""):
    data = json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n{more}\r\n"
    return head.encode() + data


TAKEN = answer({"id": "1", "status": "queued"})


class ClientTest(unittest.TestCase):
    def peer(self, serve):
        peer = Peer(serve)
        self.addCleanup(peer.close)
        return peer

    def server(self, *steps):
        server = ScriptedServer(list(steps))
        self.addCleanup(server.close)
        return server

    def client(self, url, made=Cairn, **options):
        given = {"timeout": 60.0, "retry": FAST, "on_error": lambda *_: None, "handle_exit": False, **options}
        return made(url, "test-key", **given)

    def test_one_connection_serves_many_requests(self):
        server = self.server({**ONE, "again": 5})
        with self.client(server.url) as cairn:
            for _ in range(5):
                self.assertEqual(cairn.record(EVENT).status, "queued")
        self.assertEqual((server.faults, server.connections), ([], 1))

    def test_a_connection_that_was_closed_while_it_rested_is_replaced_unsaid(self):
        def serve(connection, number):
            request_of(connection)
            connection.sendall(TAKEN)
            # The second request comes, and the peer closes on it.
            if number == 1:
                request_of(connection)
            else:
                while request_of(connection):
                    connection.sendall(TAKEN)

        peer = self.peer(serve)
        with self.client(peer.url) as cairn:
            cairn._http.connections.rest = 0.0
            cairn.record(EVENT)
            self.assertEqual(cairn.record(EVENT).status, "queued")
            self.assertEqual((cairn.counters.retries, peer.count), (0, 2))

    def test_a_peer_that_sends_a_byte_now_and_then_is_not_waited_for(self):
        def serve(connection, _):
            request_of(connection)
            for byte in TAKEN:
                connection.sendall(bytes([byte]))
                time.sleep(0.05)

        with self.client(self.peer(serve).url) as cairn:
            with self.assertRaises(CairnTimeoutError) as raised:
                cairn.record(EVENT, timeout=0.3)
            self.assertRegex(raised.exception.key or "", "^[0-9a-f-]{36}$")

    def test_a_full_queue_lets_calls_wait_until_events_have_been_sent(self):
        step = {"expect": {"method": "POST", "path": "/api/v1/events"}, "answer": {"take": "queued"}}
        server = self.server({**step, "again": 6})
        cairn = self.client(server.url, queue=MemoryQueue(events=1), batch=Batch(delay=10_000.0))
        for _ in range(6):
            self.assertEqual(cairn.enqueue(EVENT).status, "kept")
        self.assertEqual((cairn.close(), cairn.counters.queued, server.faults), (0, 6, []))

    def test_a_redirect_takes_the_key_nowhere_and_a_proxy_of_the_environment_is_not_asked(self):
        heads = []

        def elsewhere(connection, _):
            heads.append(request_of(connection)[0])
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfile")

        other = self.peer(elsewhere)

        def serve(connection, _):
            while request_of(connection):
                connection.sendall(answer({}, "302 Found", f"location: {other.url}/file\r\n"))

        os.environ["HTTP_PROXY"] = os.environ["http_proxy"] = other.url
        self.addCleanup(lambda: [os.environ.pop(name) for name in ("HTTP_PROXY", "http_proxy")])
        with self.client(self.peer(serve).url) as cairn:
            with self.assertRaises(CairnApiError) as raised:
                cairn.record(EVENT)
            self.assertEqual((raised.exception.status, heads), (302, []))
            with cairn.exports.download("1") as file:
                self.assertEqual(b"".join(file), b"file")
        self.assertEqual(len(heads), 1)
        self.assertNotIn(b"test-key", heads[0])

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_a_child_of_a_fork_sends_its_own_events_and_none_of_its_parent(self):
        bodies, lock = [], threading.Lock()

        def serve(connection, _):
            while True:
                request = request_of(connection)
                if request is None:
                    return
                body = json.loads(request[1])
                events = body.get("events", [body])
                with lock:
                    bodies.extend(event["actor_id"] for event in events)
                items = [{"id": "1", "status": "queued"} for _ in events]
                connection.sendall(answer({"events": items} if "events" in body else items[0]))

        cairn = self.client(self.peer(serve).url, batch=Batch(delay=10_000.0))
        cairn.record({"actor_id": "before", "action": "a.b"})
        for name in ("parent 1", "parent 2"):
            cairn.enqueue({"actor_id": name, "action": "a.b"})
        child = os.fork()
        if child == 0:
            try:
                cairn.enqueue({"actor_id": "child 1", "action": "a.b"})
                ok = cairn.record({"actor_id": "child 2", "action": "a.b"}).status == "queued"
                ok = ok and cairn.close() == 0 and cairn.counters.queued == 2
                os._exit(0 if ok else 1)
            finally:
                os._exit(2)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual((cairn.close(), cairn.counters.queued), (0, 3))
        self.assertEqual(sorted(bodies), ["before", "child 1", "child 2", "parent 1", "parent 2"])

    def test_an_interpreter_that_ends_or_is_ended_by_sigterm_sends_what_waits(self):
        program = (
            "import os, signal, sys, time; from cairn_client import *\n"
            "cairn = Cairn(sys.argv[1], 'test-key', batch=Batch(delay=10_000.0), handle_sigterm=True)\n"
            "cairn.enqueue({'actor_id': sys.argv[2], 'action': 'a.b'})\n"
            "if sys.argv[2] == 'sigterm':\n"
            "    os.kill(os.getpid(), signal.SIGTERM)\n"
            "    time.sleep(60)\n"
        )
        for name, code in (("end", 0), ("sigterm", -15)):
            body = {"actor_id": name, "action": "a.b", "idempotency_key": {"$is": "uuid7"}}
            expect = {**ONE["expect"], "body": {**body, "occurred_at": {"$is": "time"}}}
            server = self.server({"expect": expect, "answer": {"take": "queued"}})
            ended = subprocess.run([sys.executable, "-c", program, server.url, name], timeout=120)
            self.assertEqual((ended.returncode, server.at, server.faults), (code, 1, []))

    def test_a_call_of_asyncio_that_is_cancelled_ends_its_request(self):
        cut = threading.Event()

        def serve(connection, _):
            request_of(connection)
            asked.set()
            if connection.recv(1) == b"":
                cut.set()

        asked = threading.Event()
        peer = self.peer(serve)

        async def run():
            async with self.client(peer.url, AsyncCairn) as cairn:
                call = asyncio.ensure_future(cairn.record(EVENT))
                await asyncio.get_running_loop().run_in_executor(None, asked.wait)
                call.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await call

        asyncio.run(run())
        self.assertTrue(cut.wait(60))

    def test_asyncio_has_key_time_and_context_of_the_call(self):
        who = contextvars.ContextVar("who", default="nobody")
        bodies = []

        def serve(connection, _):
            while True:
                request = request_of(connection)
                if request is None:
                    return
                bodies.append(json.loads(request[1]))
                connection.sendall(TAKEN)

        peer = self.peer(serve)

        async def one(cairn, name):
            who.set(name)
            await cairn.record({"action": "a.b"})

        async def run():
            context = lambda: {"actor_id": who.get()}
            async with self.client(peer.url, AsyncCairn, context=context) as cairn:
                await asyncio.gather(*(one(cairn, f"user {n}") for n in range(20)))
                with self.assertRaises(ClosedError):
                    await cairn.close()
                    await cairn.record(EVENT)

        asyncio.run(run())
        self.assertEqual(sorted(b["actor_id"] for b in bodies), sorted(f"user {n}" for n in range(20)))


class WebhookTest(unittest.TestCase):
    def test_a_webhook_is_the_services_or_not(self):
        secret = "whsec_" + base64.b64encode(b"k" * 32).decode()
        body = b'{"type":"event.recorded"}'

        def signed(key=b"k" * 32, at=1000, data=body, version="v1"):
            mac = hmac.new(key, f"msg_1.{at}.".encode() + data, hashlib.sha256).digest()
            return {
                "Webhook-Id": "msg_1",
                "webhook-timestamp": str(at),
                "webhook-signature": f"v1a,xx {version},{base64.b64encode(mac).decode()}",
            }

        other = "whsec_" + base64.b64encode(b"o" * 32).decode()
        self.assertEqual(verify_webhook(body, signed(), secret, now=1000), {"type": "event.recorded"})
        self.assertEqual(verify_webhook(body.decode(), signed(), [other, secret], now=1300), json.loads(body))
        for headers, data, key, now in (
            (signed(), body + b" ", secret, 1000),
            (signed(), body, other, 1000),
            (signed(), body, [], 1000),
            (signed(), body, secret, 1301),
            (signed(), body, secret, 699),
            (signed(version="v2"), body, secret, 1000),
            ({**signed(), "webhook-timestamp": "1e3"}, body, secret, 1000),
            ({**signed(), "webhook-signature": "v1,é"}, body, secret, 1000),
            ({}, body, secret, 1000),
        ):
            with self.assertRaises(WebhookError):
                verify_webhook(data, headers, key, now=now)
        for wrong in ("", "whsec_", "whsec_é"):
            with self.assertRaises(TypeError):
                verify_webhook(body, signed(), wrong)
