"""Opens a spool and prints the keys of what waits in it, as JSON: FOLDER"""

import json
import sys

from cairn_client.spool import Spool

spool = Spool(sys.argv[1])
print(json.dumps([event.key for event in spool.take(10_000, 1 << 30)]))
spool.close()
