"""
Points at which a process of a kill trial kills itself: `packages/client/test/kills/KillPoints.ts` in Python.
The process is told one, and the how manieth time; the doors through which it works call `reach`.
"""

import os
import signal
import threading
import time

from cairn_client._http import Http


class KillPoints:
    def __init__(self, at):
        """`at`: the name of a point, and the how manieth time the process ends there; None for no end."""
        self.at = at or {"name": "", "nth": 0}
        self.reached = 0
        self.lock = threading.Lock()

    def is_next(self, name):
        """Whether the process will end when it comes there the next time."""
        return self.at["name"] == name and self.reached + 1 >= self.at["nth"]

    def reach(self, name):
        """Ends the process here, by the signal that nothing can catch, where it is to end here."""
        with self.lock:
            if self.at["name"] != name:
                return
            if self.is_next(name):
                os.kill(os.getpid(), signal.SIGKILL)
                # Nothing more is done while the signal is on its way.
                time.sleep(600)
            self.reached += 1

    def reach_soon(self, name, seconds):
        """A point in the middle of what is about to begin: some time later, from another thread."""
        if self.is_next(name):
            threading.Timer(seconds, self.reach, [name]).start()
        else:
            self.reach(name)

    def around(self, name, work):
        """Runs work with a point before and one after it."""
        self.reach(f"{name} before")
        result = work()
        self.reach(f"{name} after")
        return result


def send_through(points):
    """All requests with `send before`, `send within` (the request is on its way) and `answer after`."""
    exchange = Http._exchange

    def through(*given):
        points.reach("send before")
        points.reach_soon("send within", 0.002)
        answer = exchange(*given)
        points.reach("answer after")
        return answer

    Http._exchange = through
