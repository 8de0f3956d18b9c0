"""From the event of a caller to what is sent: what is kept, what is taken out, what is refused."""

import collections
import enum
import json
import types
import unittest
import uuid
from datetime import datetime, timezone

from cairn_client import EventRefusedError, redactor
from cairn_client._prepare import prepare_event

ADA = {"actor_id": "ada", "actor_name": "Ada Lovelace", "actor_type": "admin", "action": "a.b"}
TIME = "2026-01-02T03:04:05.678Z"


class Text(str, enum.Enum):
    PASSWORD = "password"


class Plain(enum.Enum):
    PASSWORD = "password"
    CARD = {"number": "4111"}
    KEYS = ("hunter2", 2)


class Named(str):
    def __str__(self):
        return "a name of its own"


class Raising(collections.UserDict):
    def __getitem__(self, name):
        raise RuntimeError("hunter2")


def sent(event, context=None, redact=()):
    prepared = prepare_event(event, None if context is None else lambda: context, redactor(redact))
    body = json.loads(prepared.data)
    assert body["idempotency_key"] == prepared.key
    return body


class PrepareTest(unittest.TestCase):
    def refused(self, event, *given):
        with self.assertRaises(EventRefusedError) as raised:
            sent(event, *given)
        return raised.exception

    def test_an_event_stays_itself_whatever_is_redacted_and_whatever_its_context_says(self):
        own = {"actor_id": "ada", "action": "a.b", "idempotency_key": "k", "occurred_at": TIME}
        other = {name: f"other {value}" for name, value in own.items()}
        for path in ("*", "**.*", *own):
            body = sent({**own, "metadata": {"a": 1}}, other, [path])
            self.assertEqual({name: body[name] for name in own}, own)
        without = {"actor_id": "ada", "action": "a.b"}
        body = sent(without, other)
        self.assertRegex(body["idempotency_key"], "^[0-9a-f-]{36}$")
        self.assertNotIn("other", body["occurred_at"])

    def test_another_actor_gets_nothing_of_the_one_of_the_context(self):
        for event, name in (
            ({"actor_id": "bob"}, None),
            ({"actor_id": "bob", "actor_name": "Bob"}, "Bob"),
            ({"actor_id": "ada"}, "Ada Lovelace"),
            ({}, "Ada Lovelace"),
        ):
            body = sent(event, ADA)
            self.assertEqual(body.get("actor_name"), name)
            self.assertEqual("actor_type" in body, name == "Ada Lovelace")

    def test_a_key_is_text_or_refused_and_never_replaced(self):
        given = uuid.uuid4()
        for key, text in ((given, str(given)), (Plain.PASSWORD, "password"), (Text.PASSWORD, "password")):
            self.assertEqual(sent({**ADA, "idempotency_key": key})["idempotency_key"], text)
        for key in (7, 7.5, True, b"k", ["k"], Plain.CARD):
            self.assertIn("must be a text", str(self.refused({**ADA, "idempotency_key": key})))

    def test_an_actor_or_action_that_is_no_text_is_said_to_be_none(self):
        given = uuid.uuid4()
        self.assertEqual(sent({**ADA, "actor_id": given})["actor_id"], str(given))
        for field in ("actor_id", "action"):
            for value in (7, True, None, "", [], {}, Plain.CARD):
                error = self.refused({**ADA, field: value})
                self.assertEqual(str(error), f"{field} must be a text that is not empty")
            self.assertEqual(error.refusal.errors[0]["field"], field)

    def test_members_of_enumerations_are_their_values(self):
        metadata = {"a": Plain.PASSWORD, "b": [Text.PASSWORD, Plain.KEYS], "c": Plain.CARD}
        found = sent({**ADA, "metadata": metadata})["metadata"]
        self.assertEqual(
            found, {"a": "password", "b": ["password", ["hunter2", 2]], "c": {"number": "4111"}}
        )

    def test_secrets_are_found_under_the_names_that_json_has(self):
        secret = "hunter2"
        for name, path in (
            (Text.PASSWORD, "metadata.password"),
            (Text.PASSWORD, "**.PASSWORD"),
            (Named("password"), "metadata.password"),
            (True, "metadata.true"),
            (None, "metadata.null"),
            (7, "metadata.7"),
            (1.5, ["metadata", "1.5"]),
        ):
            body = sent({**ADA, "metadata": {name: secret, "b": [{"password": "other"}]}}, None, [path])
            self.assertNotIn(secret, json.dumps(body), f"{name!r} {path}")
        body = sent({**ADA, "metadata": {"a": Plain.CARD, "b": (Plain.CARD,)}}, None, ["**.number"])
        self.assertEqual(body["metadata"], {"a": {"number": "[redacted]"}, "b": [{"number": "[redacted]"}]})
        frozen = types.MappingProxyType({"password": secret})
        self.assertNotIn(secret, str(sent({**ADA, "metadata": frozen}, None, ["**.password"])))

    def test_what_a_callers_object_raises_is_not_repeated(self):
        for redact in ((), ("metadata.a.b",)):
            error = self.refused({**ADA, "metadata": {"a": Raising(a=1)}}, None, redact)
            self.assertNotIn("hunter2", f"{error!r} {error.__context__} {error.__cause__}")
        error = self.refused({**ADA, "metadata": {"at": datetime(2026, 1, 2)}})
        self.assertIn("time zone", str(error))
        self.assertIn("object", str(self.refused({**ADA, "metadata": {"a": object()}})))

    def test_half_of_a_surrogate_pair_is_no_reason_to_lose_an_event(self):
        body = sent({**ADA, "actor_name": "a\ud800b\ud83d\ude00", "metadata": {"\udc00": "é"}})
        self.assertEqual(body["actor_name"], "a\ufffdb😀")
        self.assertEqual(body["metadata"], {"\ufffd": "é"})

    def test_a_time_is_that_of_the_call(self):
        moment = datetime(2026, 1, 2, 3, 4, 5, 678000, timezone.utc)
        self.assertEqual(sent({**ADA, "occurred_at": moment})["occurred_at"], TIME)
