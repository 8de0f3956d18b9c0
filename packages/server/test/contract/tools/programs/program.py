"""A client that openapi-python-client makes."""
import json
import os

from cairn_client import AuthenticatedClient
from cairn_client.api.events import events_ingest, events_list_events, events_verify
from cairn_client.api.proofs import proofs_event_proof
from cairn_client.models import Accepted, EventInput, EventInputMetadataType0, EventProof

action = os.environ["ACTION"]
client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["API_KEY"])

ids = []
for seats in (1, 2, 3):
    metadata = EventInputMetadataType0.from_dict({"plan": "pro", "seats": seats, "nested": {"tags": ["a", "b"]}})
    accepted = events_ingest.sync(client=client, body=EventInput(actor_id="ada", action=action, metadata=metadata))
    assert isinstance(accepted, Accepted), accepted
    ids.append(str(accepted.id))


def page(**cursor):
    return events_list_events.sync(client=client, action=[action], limit=2, **cursor)


first = page()
while first.pagination.total != len(ids):
    first = page()
second = page(cursor=first.pagination.next_cursor)
verified = events_verify.sync(client=client, limit=1000)
proof = proofs_event_proof.sync(id=ids[0], client=client)
assert isinstance(proof, EventProof), proof
print(
    json.dumps(
        {
            "seats": [event.metadata["seats"] for event in first.data + second.data],
            "more": [first.pagination.has_more, second.pagination.has_more],
            "valid": verified.data.valid,
            "proven": str(proof.header.id) == ids[0],
        }
    )
)
