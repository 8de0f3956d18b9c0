"""Calls each method of getimmutable once or more, and prints what each gave, and which methods there are.

Some may only answer later: the events are in the log soon after they were accepted, and alerts and exports
after that.
"""

import inspect
import json
import os
import time

from getimmutable import ImmutableClient, ImmutableError, PendingEvent

PAUSE_SECONDS = 0.05
PATIENCE_SECONDS = 20

client = ImmutableClient(os.environ["API_KEY"], os.environ["BASE_URL"] + "/", timeout=20.0)
ANCHOR = os.environ["ANCHOR"]
called: set[str] = set()
results: dict[str, object] = {}


def call(thing, name, /, *args, **kwargs):
    called.add(f"{type(thing).__name__}.{name}")
    return getattr(thing, name)(*args, **kwargs)


def keep(name, value):
    results[name] = value
    return value


def later(ask, ready):
    until = time.monotonic() + PATIENCE_SECONDS
    answer = ask()
    while not ready(answer) and time.monotonic() < until:
        time.sleep(PAUSE_SECONDS)
        answer = ask()
    return answer


def built(key):
    pending = call(client, "actor", "ada", name="Ada", type="user")
    call(pending, "idempotency_key", key)
    call(pending, "version", 3)
    call(pending, "session", "s1")
    call(pending, "action_category", "billing")
    call(pending, "targets", [{"type": "customer", "id": "7"}])
    call(pending, "target", "account", id="9", name="Nine", metadata={"vip": True})
    resource = {"type": "invoice", "id": "42", "name": "March"}
    return call(pending, "track", "invoice.paid", resource, {"amount": 12})


def failure(act):
    try:
        act()
    except ImmutableError as error:
        return {"message": str(error), "status": error.status_code, "data": error.response_data}
    return None


keep("built", built("original-1"))
keep("built_again", built("original-1"))
plain = {
    "actor_id": "bob",
    "action": "invoice.viewed",
    "tenant_id": "acme",
    "occurred_at": "2026-01-02T03:04:05.678Z",
}
keep("track", call(client, "track", plain))
keep("track_batch", call(client, "track_batch", [{**plain, "actor_id": f"b{index}"} for index in range(3)]))

viewed = {"tenant_id": "acme", "action": "invoice.viewed"}
later(lambda: call(client, "get_events", **viewed), lambda page: page["pagination"]["total"] >= 4)
keep("get_events", call(client, "get_events", **viewed, limit=3))
cursor = results["get_events"]["pagination"]["next_cursor"]
keep("next_page", client.get_events(**viewed, limit=3, cursor=cursor))
everything = {
    "actor_id": "ada",
    "action": "invoice.paid",
    "resource": "invoice",
    "resource_id": "42",
    "session_id": "s1",
    "target_type": "account",
    "target_id": "9",
    "search": "march",
    "from_date": "2026-01-01",
    "to_date": "2999-01-01",
}
keep(
    "every_filter",
    later(lambda: client.get_events(**everything), lambda page: page["pagination"]["total"] > 0),
)
keep("get_event", call(client, "get_event", results["built"]["id"]))
keep("verify", call(client, "verify", from_date="2026-01-01", to_date="2999-01-01", limit=1000))
keep("create_viewer_token", call(client, "create_viewer_token", tenant_id="acme", actor_id="ada", ttl=60))
keep(
    "get_alerts",
    later(
        lambda: call(client, "get_alerts", rule_type="repeated_action", from_date="2026-01-01", limit=5),
        lambda page: page["data"],
    ),
)
keep("create_export", call(client, "create_export", tenant_id="acme", action="invoice.viewed"))
keep(
    "get_export",
    later(
        lambda: call(client, "get_export", results["create_export"]["data"]["id"]),
        lambda export: export["data"]["status"] in ("completed", "failed"),
    ),
)
keep("get_anchors", call(client, "get_anchors", limit=1))
keep("get_anchor", call(client, "get_anchor", ANCHOR))
keep("verify_anchor", call(client, "verify_anchor", ANCHOR))
keep("wrong_key", failure(ImmutableClient("imk_wrong", os.environ["BASE_URL"]).verify))
keep("wrong_event", failure(lambda: client.track({"actor_id": "ada"})))

methods = {
    f"{thing.__name__}.{name}"
    for thing in (ImmutableClient, PendingEvent)
    for name, _ in inspect.getmembers(thing, inspect.isfunction)
    if not name.startswith("_")
}
print(json.dumps({"results": results, "called": sorted(called), "methods": sorted(methods)}))
