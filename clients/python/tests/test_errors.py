"""What errors carry: the key of their own event, and never the API key."""

import os
import shutil
import socket
import sqlite3
import tempfile
import threading
import unittest
import warnings

from cairn_client import AsyncCairn, Cairn, CairnApiError, CairnError, MemoryQueue, Retry
from cairn_client.outbox import Outbox
from cairn_client.spool import Spool

from .collecting_server import CollectingServer
from .scripted_server import ScriptedServer

KEY = "cairn_SECRETSECRETSECRET"
EVENT = {"actor_id": "ada", "action": "a.b"}


def frames_of(error):
    """The frames of an error and of those that it came from, as error reporters see them."""
    seen = error
    while seen is not None:
        traceback = seen.__traceback__
        while traceback is not None:
            yield traceback.tb_frame
            traceback = traceback.tb_next
        seen = seen.__cause__ or seen.__context__


def variables_with(text, error):
    """The local variables of its frames that show a text."""
    return [
        f"{frame.f_code.co_name}: {name}"
        for frame in frames_of(error)
        for name, value in frame.f_locals.items()
        if not frame.f_code.co_name.startswith("test_") and text in repr(value)
    ]


class FailingTls:
    """A context and a socket whose frames hold what they were given to send, as those of `ssl` do."""

    def __init__(self, error):
        self.error = error

    def wrap_socket(self, sock, **_):
        sock.close()
        return self

    def settimeout(self, seconds):
        pass

    def do_handshake(self):
        pass

    def sendall(self, data):
        view = bytes(data)
        raise self.error(len(view))

    def recv_into(self, buffer):
        raise self.error(len(buffer))

    def shutdown(self, how):
        pass

    def close(self):
        pass


class ErrorsTest(unittest.TestCase):
    def folder(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder, True)
        return folder

    def test_the_api_key_is_in_no_variable_of_a_traceback(self):
        busy = {"status": 503, "body": {"error": "unavailable", "message": "no"}}
        answers = [{"end": "hang"}, {"end": "reset"}, {"end": "half", "take": "queued"}, busy]
        answers += [{"status": 401, "body": {"error": "unauthorized", "message": KEY}}, {"text": KEY}]
        answers += [{"status": 302, "headers": {"location": "http://elsewhere.example/"}}]
        expect = {"method": "POST", "path": "/api/v1/events"}
        nowhere = socket.create_server(("127.0.0.1", 0))
        urls = [("nobody", f"http://127.0.0.1:{nowhere.getsockname()[1]}")]
        nowhere.close()
        for answer in answers:
            server = ScriptedServer([{"expect": expect, "answer": answer, "again": 99}])
            self.addCleanup(server.close)
            urls += [(f"{answer}", server.url), (f"TLS to {answer}", server.url.replace("http:", "https:"))]
        for name, url in urls:
            cairn = Cairn(url, KEY, handle_exit=False, on_error=lambda *_: None)
            for call in (
                lambda: cairn.record(EVENT, timeout=0.2),
                lambda: cairn.events.list(timeout=0.2).page(),
                lambda: cairn.members.create({"email": "ada@example.com", "role": "admin"}, timeout=0.2),
            ):
                with self.subTest(name):
                    try:
                        call()
                    except CairnError as error:
                        self.assertEqual(variables_with(KEY, error), [])
                        self.assertNotIn(KEY, str(error))
                    else:
                        self.fail("no error")
            cairn.close(timeout=0.01)

    def test_nor_in_one_of_what_it_came_from(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            url = f"https://127.0.0.1:{server.getsockname()[1]}"
            for error in (socket.timeout, OSError, BrokenPipeError, ConnectionResetError, ValueError):
                reports = []
                cairn = Cairn(
                    url,
                    KEY,
                    ssl_context=FailingTls(error),
                    handle_exit=False,
                    retry=Retry(0.001, 0.001),
                    on_error=lambda error, about: reports.append(error),
                )
                for call in (lambda: cairn.record(EVENT, timeout=0.1), lambda: cairn.health.live(timeout=0.1)):
                    with self.subTest(error=error), self.assertRaises(CairnError) as raised:
                        call()
                    self.assertEqual(variables_with(KEY, raised.exception), [])
                cairn.enqueue(EVENT)
                cairn.flush(timeout=0.1)
                cairn.close(timeout=0.01)
                self.assertGreater(len(reports), 0)
                self.assertEqual([variables_with(KEY, report) for report in reports], [[]] * len(reports))

    def test_a_context_that_raises_costs_its_members_alone(self):
        server = CollectingServer()
        self.addCleanup(server.close)
        reports = []

        def context():
            raise ValueError("no session")

        report = lambda error, about: reports.append((str(error), about.kind))  # noqa: E731
        cairn = Cairn(server.url, KEY, context=context, handle_exit=False, on_error=report)
        self.addCleanup(cairn.close, timeout=0.01)
        self.assertEqual(cairn.record(EVENT).status, "queued")
        self.assertEqual(cairn.enqueue(EVENT).status, "kept")
        cairn.flush()
        self.assertEqual(server.actors, ["ada", "ada"])
        self.assertEqual(reports, [("the context failed: ValueError: no session", "fields")] * 2)

    def test_a_date_to_try_again_at_is_by_the_clock_that_answers(self):
        expect = {"method": "POST", "path": "/api/v1/events"}
        for date in ("Mon, 01 Jan 2001 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT"):
            headers = {"date": date, "retry-after": date.replace("00:00:00", "00:01:00")}
            server = ScriptedServer([{"expect": expect, "answer": {"status": 503, "text": "", "headers": headers}}])
            self.addCleanup(server.close)
            cairn = Cairn(server.url, KEY, handle_exit=False, on_error=lambda *_: None)
            self.addCleanup(cairn.close, timeout=0.01)
            with self.subTest(date), self.assertRaises(CairnApiError) as raised:
                cairn.record(EVENT)
            self.assertEqual(raised.exception.retry_after, 60.0)

    def test_each_event_that_a_disk_loses_has_an_error_of_its_own(self):
        folder = os.path.join(self.folder(), "spool")
        spool = Spool(folder)
        cairn = Cairn("http://127.0.0.1:1", KEY, queue=spool, handle_exit=False, on_error=lambda *_: None)
        self.addCleanup(lambda: cairn.close(timeout=0.01))
        cairn.enqueue(EVENT)
        shutil.rmtree(folder)
        together = threading.Barrier(16)
        errors = {}

        def enqueue(number):
            together.wait()
            try:
                cairn.enqueue({**EVENT, "idempotency_key": f"key-{number}"}, timeout=60.0)
            except CairnError as error:
                errors[f"key-{number}"] = error

        threads = [threading.Thread(target=enqueue, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(errors), 16)
        self.assertEqual({key: error.key for key, error in errors.items()}, {key: key for key in errors})
        self.assertEqual(len({id(error) for error in errors.values()}), 16)

    def test_reports_are_never_awaited_by_nobody(self):
        async def report(error, about):
            raise AssertionError

        options = {"handle_exit": False, "on_error": report}
        for make in (
            lambda: Cairn("http://127.0.0.1:1", KEY, **options),
            lambda: AsyncCairn("http://127.0.0.1:1", KEY, **options),
            lambda: Outbox().relay("http://127.0.0.1:1", KEY, connect=lambda: sqlite3.connect(":memory:"), on_error=report),
        ):
            with self.assertRaisesRegex(TypeError, "on_error must be a function that is not async"):
                make()
        options["on_error"] = lambda error, about: report(error, about)
        cairn = Cairn("http://127.0.0.1:1", KEY, queue=MemoryQueue(0), **options)
        with warnings.catch_warnings(), self.assertLogs("cairn_client") as logged:
            warnings.simplefilter("error")
            self.assertEqual(cairn.enqueue(EVENT, failure="open", timeout=0.01).status, "dropped")
        self.assertIn("dropped", logged.output[0])
        cairn.close(timeout=0.01)
