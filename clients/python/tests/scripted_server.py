"""A server that answers by a script of the conformance suite: see `testdata/client/README.md`."""

import json
import re
import socket
import struct
import threading
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z")


def is_kind(kind, value):
    if kind == "uuid7":
        return UUID7.fullmatch(str(value)) is not None
    if kind == "time":
        if not TIME.fullmatch(str(value)):
            return False
        form = "%Y-%m-%dT%H:%M:%S.%fZ" if "." in value else "%Y-%m-%dT%H:%M:%SZ"
        moment = datetime.strptime(value, form).replace(tzinfo=timezone.utc)
        return abs((moment - datetime.now(timezone.utc)).total_seconds()) < 600
    return kind == "any"


def matches(expected, actual, names):
    """Whether a value is as a case expects it: whole, with no member more."""
    if isinstance(expected, dict) and isinstance(expected.get("$is"), str):
        name = expected.get("$name")
        fits = is_kind(expected["$is"], actual)
        return fits and (name is None or names.setdefault(name, actual) == actual)
    if isinstance(expected, list):
        return (
            isinstance(actual, list)
            and len(actual) == len(expected)
            and all(matches(each, found, names) for each, found in zip(expected, actual))
        )
    if isinstance(expected, dict):
        return (
            isinstance(actual, dict)
            and actual.keys() == expected.keys()
            and all(matches(each, actual[name], names) for name, each in expected.items())
        )
    return expected == actual and isinstance(expected, bool) == isinstance(actual, bool)


def taken(take, body):
    """The service's answer for the events of a request."""
    events = body.get("events", [body])
    items = []
    for index, event in enumerate(events):
        said = take if take == "queued" else take[index]
        actor = event["actor_id"]
        items.append({"id": f"id-{actor}", "status": said} if isinstance(said, str) else said)
    if "events" not in body:
        return items[0]
    counts = {status: sum(item["status"] == status for item in items) for status in ("queued", "duplicate")}
    rejected = len(items) - sum(counts.values())
    return {
        "accepted": counts["queued"],
        "duplicates": counts["duplicate"],
        "rejected": rejected,
        "events": items,
    }


class ScriptedServer(ThreadingHTTPServer):
    """Goes through steps."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, steps, names=None):
        self.script = [step for step in steps for _ in range(step.get("again", 1))]
        self.names = {} if names is None else names
        self.faults = []
        self.at = 0
        self.is_over = False
        self.lock = threading.Lock()
        self.closed = threading.Event()
        self.connections = 0
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        pass

    def step_for(self, method, path, headers, body):
        with self.lock:
            if self.is_over or self.at >= len(self.script):
                if not self.is_over:
                    self.faults.append(f"a request beyond the last step: {method} {path} {body}")
                error = {"error": "unavailable", "message": "the script is over"}
                return {"answer": {"status": 503, "body": error}}
            step = self.script[self.at]
            self.at += 1
            wrong = self.fault(step["expect"], method, path, headers, body)
            if wrong is not None:
                self.faults.append(f"step {self.at}: {wrong}")
            return step

    def fault(self, expect, method, path, headers, body):
        if (method, path) != (expect["method"], expect["path"]):
            return f"{method} {path} in place of {expect['method']} {expect['path']}"
        for name, value in expect.get("headers", {}).items():
            if headers.get(name) != value:
                return f"{name}: {headers.get(name)}"
        if "actors" in expect:
            name, first, last = expect["actors"]
            actors = [event["actor_id"] for event in body.get("events", [])]
            if actors != [f"{name}-{index}" for index in range(first, last + 1)]:
                return f"the actors {actors}"
        if "body" in expect and not matches(expect["body"], body, self.names):
            return f"the body {json.dumps(body)[:2000]}"
        return None

    def close(self):
        self.closed.set()
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def setup(self):
        super().setup()
        with self.server.lock:
            self.server.connections += 1

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.wfile.flush()
        self.rfile.close()
        self.connection.close()

    def answer(self):
        length = int(self.headers.get("content-length") or 0)
        text = self.rfile.read(length)
        body = json.loads(text) if text else {}
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.step_for(self.command, self.path, headers, body)["answer"]
        end = answer.get("end")
        if end == "hang":
            self.server.closed.wait()
            self.close_connection = True
            return
        if end == "reset":
            return self.reset()
        said = answer.get("text")
        if said is None:
            said = json.dumps(taken(answer["take"], body) if "take" in answer else answer.get("body"))
        data = said.encode()
        status = answer.get("status", 202)
        self.send_response(status)
        given = {name.lower(): value for name, value in answer.get("headers", {}).items()}
        own = {"content-type": "text/html" if "text" in answer else "application/json"}
        if status != 204:
            own["content-length"] = str(len(data))
        for name, value in {**own, **given}.items():
            self.send_header(name, value)
        self.end_headers()
        if end == "half":
            self.wfile.write(data[: len(data) // 2])
            return self.reset()
        if status != 204:
            self.wfile.write(data)

    do_GET = do_POST = do_PATCH = do_DELETE = answer
