"""
An application of a kill trial: `packages/client/test/kills/SpoolingApplication.ts` in Python. It reports each
event that it was promised, and kills itself at the point that it is told.
"""

import json
import os
import sys
import threading
import time

from cairn_client import Batch, Cairn, Retry
from cairn_client.spool import Spool, SpoolFiles

from .kill_points import KillPoints, send_through

task = json.loads(sys.argv[1])
points = KillPoints(task.get("killPoint"))
send_through(points)


class Files(SpoolFiles):
    def create(self, path):
        return points.around("create", lambda: super(Files, self).create(path))

    def write(self, file, data):
        if points.is_next("write within"):
            super().write(file, data[: len(data) // 2])
        points.reach("write within")
        return points.around("write", lambda: super(Files, self).write(file, data))

    def datasync(self, file):
        return points.around("fsync", lambda: super(Files, self).datasync(file))

    def rename(self, path, to):
        return points.around("rename", lambda: super(Files, self).rename(path, to))

    def unlink(self, path):
        return points.around("removal", lambda: super(Files, self).unlink(path))


queue = Spool(task["place"], max_bytes=1024 * 1024, adopt_every=0.5, files=Files())
cairn = Cairn(
    task["url"],
    task["apiKey"],
    queue=queue,
    retry=Retry(0.005, 0.1),
    batch=Batch(count=20, delay=0.002),
    timeout=20.0,
    on_error=lambda *_: None,
)
# So that a request that hangs does not last as long as the trial.
cairn._drain._request_timeout = 1.0
numbers = iter(range(task["events"]))
lock = threading.Lock()


def caller():
    while True:
        with lock:
            number = next(numbers, None)
        if number is None:
            return
        before = time.time_ns() // 1_000_000
        kept = cairn.enqueue(
            {
                "actor_id": "ada",
                "action": "trial.spooled",
                "resource": "invoice",
                "resource_id": f"{task['run']}-{number}",
                "metadata": {"number": number, "text": "x" * (number * 37 % 700)},
            }
        )
        after = time.time_ns() // 1_000_000
        # Straight to the pipe: what was promised must be known even when the next instruction is never run.
        os.write(1, f"{kept.key} {before} {after}\n".encode())
        if number % 7 == 0:
            time.sleep(number % 5 / 1000)


callers = [threading.Thread(target=caller) for _ in range(6)]
for each in callers:
    each.start()
for each in callers:
    each.join()
cairn.flush(timeout=20.0)
cairn.close(timeout=1.0)
