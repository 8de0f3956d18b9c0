"""What an answer may say: only the service's own form is its verdict, and no form of the key is repeated."""

import json
import socket
import threading
import unittest
from urllib.parse import quote

from cairn_client import Cairn, CairnError, Retry

KEY = "cairn_live/secret+key"
EVENT = {"actor_id": "ada", "action": "a.b"}


class RawServer:
    """Answers each request with the next of the answers, and with the last from then on."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.count = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, connection.makefile("rb") as file:
            length = 0
            while (line := file.readline().strip().lower()) != b"":
                if line.startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            file.read(length)
            self.count += 1
            connection.sendall(self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])

    def close(self):
        self.listener.close()


def answer(status, body, headers=""):
    data = (body if isinstance(body, str) else json.dumps(body)).encode()
    return f"HTTP/1.1 {status} X\r\n{headers}content-length: {len(data)}\r\nconnection: close\r\n\r\n".encode() + data


TAKEN = answer(202, {"id": "1", "status": "queued"})
FOREIGN = [
    (422, "<html>no</html>"),
    (400, "<html>no</html>"),
    (400, {"statusCode": 400, "error": "Bad Request", "message": "no"}),
    (422, {"error": "blocked_by_policy", "message": "no"}),
    (422, {"error": {"code": 1}, "message": "no"}),
    (422, {"error": "Unprocessable Entity", "message": "no"}),
    (404, {"error": "not_found", "message": "no"}),
    (202, "hello"),
    (200, {}),
    (200, []),
    (202, {"status": "queued"}),
    (202, {"status": "ok", "id": "1"}),
    (200, {"id": 1, "status": "queued"}),
    (204, ""),
]


class AnswersTest(unittest.TestCase):
    def client(self, *answers, **options):
        server = RawServer(*answers)
        self.addCleanup(server.close)
        self.reports = []
        on_error = lambda error, report: self.reports.append((error, report))
        given = {"retry": Retry(0.001, 0.004), "handle_exit": False, "timeout": 60.0, **options}
        cairn = Cairn(server.url, KEY, on_error=on_error, **given)
        self.addCleanup(lambda: cairn.close(timeout=0.01))
        return cairn

    def test_an_answer_in_another_form_is_no_verdict(self):
        for status, body in FOREIGN:
            with self.subTest(status=status, body=body):
                cairn = self.client(answer(status, body), TAKEN)
                cairn.enqueue(EVENT)
                self.assertEqual(cairn.flush(timeout=60.0), 0)
                self.assertEqual((cairn.counters.queued, cairn.counters.refused), (1, 0))
                self.assertEqual([report.kind for _, report in self.reports], ["retry"])

    def test_only_what_the_service_says_of_an_event_refuses_it(self):
        for status, code in (
            (422, "validation_failed"),
            (400, "malformed_json"),
            (400, "invalid_parameter"),
            (413, "payload_too_large"),
        ):
            cairn = self.client(answer(status, {"error": code, "message": "no"}))
            cairn.enqueue(EVENT)
            self.assertEqual((cairn.flush(timeout=60.0), cairn.counters.refused), (0, 1))

    def test_no_form_of_the_key_is_repeated(self):
        forms = {
            KEY,
            KEY.upper(),
            quote(KEY),
            quote(KEY, safe=""),
            quote(KEY, safe="").lower(),
            "".join(f"%{ord(character):02x}" for character in KEY),
            "".join(f"\\u{ord(character):04x}" for character in KEY),
            "".join(f"\\u{ord(character):04X}" for character in KEY),
            KEY.replace("/", "\\/"),
            "".join(f"&#{ord(character)};" for character in KEY),
            "".join(f"&#x{ord(character):x};" for character in KEY),
        }
        for form in forms:
            said = f"Authorization: Bearer {form}"
            escaped = json.dumps(said)[1:-1] if "\\" not in form else said
            text = '{"error":"validation_failed","message":"%s","errors":[{"field":"%s","message":"%s"}],"%s":1}'
            item = '{"id":"1","status":"queued","warnings":["%s"]}' % escaped
            header = f"x-request-id: {said}\r\n"
            for given in (
                answer(422, text % ((escaped,) * 4), header),
                answer(422, {"error": "validation_failed", "message": said}, header),
                answer(401, {"error": "unauthorized", "message": said, "more": [{"a": said}]}, header),
                answer(500, said, header),
                answer(302, said, f"location: /{said}\r\n{header}"),
                answer(202, item),
                f"HTTP/1.1 {said}\r\n\r\n".encode(),
                f"{said}\r\n\r\n".encode(),
            ):
                with self.subTest(given=given):
                    cairn = self.client(given, TAKEN)
                    self.check(cairn)

    def check(self, cairn):
        said = []
        try:
            cairn.record(EVENT)
        except CairnError as error:
            said += [repr(error), str(error), repr(vars(error))]
            refusal = getattr(error, "refusal", None)
            said.append("" if refusal is None else json.dumps(refusal.as_json()))
        cairn.enqueue(EVENT)
        cairn.flush(timeout=60.0)
        for error, report in self.reports:
            said += [repr(error), str(error), repr(vars(error)), repr(report)]
            for outcome in report.outcomes:
                said.append("" if outcome.refusal is None else json.dumps(outcome.refusal.as_json()))
        for part in ("secret", "SECRET", "%65", "u0065", "&#101;", "&#x65;"):
            self.assertNotIn(part, "\n".join(said))
