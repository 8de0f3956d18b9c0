import os

from cairn_client import Cairn

# Key, time, retries and time limit are the client's.
with Cairn(os.environ["CAIRN_URL"], os.environ["CAIRN_API_KEY"]) as cairn:
    recorded = cairn.record({
        "actor_id": "ada",
        "action": "invoice.paid",
        "resource": "invoice",
        "resource_id": "42",
    })
    print(recorded)
