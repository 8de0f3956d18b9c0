"""A process that adds events to a spool, says so, and lives until it is killed: FOLDER KEY…"""

import json
import sys
import time

from cairn_client import PreparedEvent
from cairn_client.spool import Spool

spool = Spool(sys.argv[1])
for key in sys.argv[2:]:
    body = {"actor_id": "ada", "action": "a", "idempotency_key": key}
    spool.add(PreparedEvent(key, json.dumps(body).encode()), 60.0)
print("added", flush=True)
time.sleep(600)
