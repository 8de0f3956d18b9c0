"""What schemathesis is told about Cairn: what it must not do to itself, and what a schema cannot say."""
import os
import re

import schemathesis

# What the server rightly refuses although the document's schema allows it, by the message: a reason for each.
NOT_IN_A_SCHEMA = {
    r"^cursor: must be the next_cursor of a previous response$": "a cursor is made by the server",
    r"^X-Cairn-Position: must be the value of a previous response$": "a position is made by the server",
    r"must be an ISO 8601 date or date-time": "a pattern does not say which years have a 29 February",
    r"^expires_at: must be an ISO 8601 date-time in the future$": "a time is compared with now",
    r"must be after|must not be after": "two members are compared",
    r"^anchor_schedule\.offset_seconds: .*, less than every_seconds$": "two members are compared",
    r"^rule_type: cannot be changed": "what is stored differs",
    r" cannot narrow evidence": "an evidence bundle is every event between two times; its filters are two",
    r"would lift the restriction": "what restricts something now is not lifted by accident",
    r"timezone: must be a name of the IANA time-zone database": "the names are those of the machine",
    r"bits after the prefix are zero": "a pattern does not know the bits of an address",
    r"version: must be an integer between -2\^53": "integers are 64 bits wide for clients, and exact to 53",
    r"^to: must be at least `from`, and no more than the log has events$": "two parameters and the log are compared",
}

# How long a test of a webhook or stream waits for its outcome: nobody answers here.
WAIT = re.compile(r"[0-9]|1[0-9]|20")


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops a failure that has a reason above."""
    if failure.title != "Schema-valid request rejected" or response is None:
        return True
    message = response.json().get("message", "")
    return not any(re.search(pattern, message) for pattern in NOT_IN_A_SCHEMA)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Keeps the workspace usable: these would make every further request succeed, or none."""
    parameters = case.path_parameters or {}
    method = case.method.upper()
    if method == "DELETE" and parameters.get("id") == os.environ["OWN_KEY_ID"]:
        case.path_parameters["id"] = "key_00000000-0000-4000-8000-000000000000"
    if method == "PATCH" and case.path == "/api/v1/workspace" and isinstance(case.body, dict):
        for name in ("ip_allowlist", "unknown_fields"):
            case.body.pop(name, None)
    if case.path.endswith("/test") and isinstance(case.query, dict):
        if WAIT.fullmatch(str(case.query.get("wait", "10"))):
            case.query["wait"] = "0"
