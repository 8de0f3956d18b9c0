"""The conformance suite of `testdata/client` on this client, with threads and with asyncio."""

import asyncio
import json
import pathlib
import threading
import unittest

from cairn_client import (
    AsyncCairn,
    Batch,
    Cairn,
    CairnApiError,
    CairnConnectionError,
    CairnTimeoutError,
    ClosedError,
    EventRefusedError,
    MemoryQueue,
    QueueFullError,
    Retry,
)

from .scripted_server import ScriptedServer, matches

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "testdata" / "client"

TYPES = {
    "refused": EventRefusedError,
    "api": CairnApiError,
    "connection": CairnConnectionError,
    "timeout": CairnTimeoutError,
    "queue_full": QueueFullError,
    "closed": ClosedError,
    "usage": TypeError,
}

# Which events join in a batch when there is room again is chance among threads: test_client has it.
OF_ONE_THREAD = {"a call that waits for room gets it when events have been sent"}

class GatedQueue(MemoryQueue):
    """Gives nothing while calls are begun: to the others they all happen at once."""

    def __init__(self, **bounds):
        self.gate = threading.Event()
        self.gate.set()
        super().__init__(**bounds)

    def take(self, count, size):
        self.gate.wait()
        return super().take(count, size)


def seconds(millis):
    return None if millis is None else millis / 1000


def options_of(client, queue, reports):
    batch = client.get("batch", {})
    retry = client.get("retry", {"base_millis": 1, "max_millis": 4})
    context = client.get("context")
    return {
        # The suite's own limits are small where one is to pass: nothing else may on a slow machine.
        "timeout": client.get("timeout_millis", 60_000) / 1000,
        "failure": client.get("failure", "closed"),
        "when_full": client.get("when_full", "wait"),
        # A thread that sends may be quicker than the call that follows; `flush` sends in every case.
        "batch": Batch(batch.get("count", 100), batch.get("bytes", 4 * 1024 * 1024), 10_000.0),
        "retry": Retry(retry["base_millis"] / 1000, retry["max_millis"] / 1000),
        "queue": queue,
        "context": None if context is None else lambda: context,
        "redact": client.get("redact", ()),
        "on_error": lambda error, report: reports.append((report, str(error))),
        "handle_exit": False,
    }


def written(value):
    """A given event with its long texts written out."""
    if isinstance(value, dict):
        if isinstance(value.get("$text"), str):
            return value["$text"] * value["$times"]
        return {name: written(each) for name, each in value.items()}
    return [written(each) for each in value] if isinstance(value, list) else value


def event_of(call, index):
    event = written(call.get("event", {}))
    return {**event, "actor_id": f"{event['actor_id']}-{index}"} if "repeat" in call else event


def limits_of(call):
    options = dict(call.get("options", {}))
    millis = options.pop("timeout_millis", None)
    return {**options, "timeout": seconds(millis)}


def perform(cairn, call, index):
    limits = limits_of(call)
    if call["do"] == "record":
        return cairn.record(event_of(call, index), **limits)._asdict()
    if call["do"] == "enqueue":
        return cairn.enqueue(event_of(call, index), **limits)._asdict()
    if call["do"] == "list":
        return [event["id"] for event in cairn.events.list(**call.get("filter", {}))]
    end = cairn.flush if call["do"] == "flush" else cairn.close
    return {"waiting": end(timeout=limits["timeout"] or 60.0)}


async def perform_async(cairn, call, index):
    limits = limits_of(call)
    if call["do"] == "record":
        return (await cairn.record(event_of(call, index), **limits))._asdict()
    if call["do"] == "enqueue":
        return (await cairn.enqueue(event_of(call, index), **limits))._asdict()
    if call["do"] == "list":
        return [event["id"] async for event in cairn.events.list(**call.get("filter", {}))]
    end = cairn.flush if call["do"] == "flush" else cairn.close
    return {"waiting": await end(timeout=limits["timeout"] or 60.0)}


class Conformance(unittest.TestCase):
    def assert_text(self, text, expected):
        for part in expected.get("has", []):
            self.assertIn(part, text)
        for part in expected.get("lacks", []):
            self.assertNotIn(part, text)

    def assert_error(self, error, fails, names):
        self.assertIsInstance(error, TYPES[fails["type"]], repr(error))
        for member in ("code", "status", "request_id"):
            if member in fails:
                self.assertEqual(getattr(error, member), fails[member])
        if "key" in fails:
            self.assertTrue(matches(fails["key"], error.key, names), f"key: {error.key}")
        self.assert_text(f"{error}\n{error!r}\n{vars(error)}", fails)

    def assert_result(self, call, result, names):
        if "fails" in call:
            self.assertIsInstance(result, Exception, f"{call['do']} gave {result}")
            return self.assert_error(result, call["fails"], names)
        if isinstance(result, Exception):
            raise result
        gives = call.get("gives", {})
        if isinstance(gives, list):
            return self.assertEqual(result, gives)
        for name, expected in gives.items():
            actual = result.get(name)
            self.assertTrue(matches(expected, actual, names), f"{call['do']}: {name} was {actual!r}")

    def assert_reports(self, expected, reports):
        said = [
            {"kind": report.kind, "actors": [json.loads(event.data)["actor_id"] for event in report.events]}
            for report, _ in reports
        ]
        self.assertEqual(said, [{"kind": one["kind"], "actors": one["actors"]} for one in expected])
        for one, (_, text) in zip(expected, reports):
            self.assert_text(text, one)

    def run_case(self, case, make, all_of, end):
        names, reports = {}, []
        server = ScriptedServer(case.get("server", []), names)
        try:
            client = case.get("client", {})
            queue = GatedQueue(**client.get("queue", {}))
            key, url = client.get("api_key", "test-key"), server.url + client.get("path", "")
            if "makes" in case:
                with self.assertRaises(Exception) as raised:
                    make(url, key, **options_of(client, queue, reports))
                return self.assert_error(raised.exception, case["makes"]["fails"], names)
            cairn = make(url, key, **options_of(client, queue, reports))
            # Only a peer that closes what rests is retried unsaid; the script's cuts are to be told.
            cairn._http.connections.rest = float("inf")
            try:
                for call in case.get("calls", []):
                    if "queue" not in client and call["do"] == "enqueue":
                        queue.gate.clear()
                    results = all_of(cairn, call, range(call.get("repeat", 1)))
                    queue.gate.set()
                    for result in results:
                        self.assert_result(call, result, names)
                self.assertEqual(server.faults, [])
                self.assertEqual(server.at, len(server.script), "not all steps were asked for")
            finally:
                server.is_over = True
                end(cairn)
            after = case.get("after", {})
            counters = cairn.counters._asdict()
            for name, expected in after.get("counters", {}).items():
                self.assertEqual(counters[name], expected, name)
            if after.get("reports", "any") != "any":
                self.assert_reports(after["reports"], reports)
        finally:
            server.close()

    def each_case(self):
        for file in sorted(FOLDER.glob("*.json")):
            for case in json.loads(file.read_text("utf-8"))["cases"]:
                if case["name"] not in OF_ONE_THREAD:
                    yield case

    def test_with_threads(self):
        def one(cairn, call, index):
            try:
                return perform(cairn, call, index)
            except Exception as error:
                return error

        def all_of(cairn, call, indexes):
            return [one(cairn, call, index) for index in indexes]

        for case in self.each_case():
            with self.subTest(case["name"]):
                self.run_case(case, Cairn, all_of, lambda cairn: cairn.close(timeout=0.05))

    def test_with_asyncio(self):
        loop = asyncio.new_event_loop()
        self.addCleanup(loop.close)

        async def gathered(cairn, call, indexes):
            if call["do"] == "enqueue":
                # The first ones come into the queue first: threads know no order.
                results = []
                for index in indexes:
                    results += await asyncio.gather(
                        perform_async(cairn, call, index), return_exceptions=True
                    )
                return results
            calls = [perform_async(cairn, call, index) for index in indexes]
            return await asyncio.gather(*calls, return_exceptions=True)

        def all_of(cairn, call, indexes):
            return loop.run_until_complete(gathered(cairn, call, indexes))

        def end(cairn):
            loop.run_until_complete(cairn.close(timeout=0.05))

        for case in self.each_case():
            with self.subTest(case["name"]):
                self.run_case(case, AsyncCairn, all_of, end)
