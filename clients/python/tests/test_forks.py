"""Processes that come from others: each sends its own events, once, whatever it inherits and however it ends."""

import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from .collecting_server import CollectingServer

HERE = pathlib.Path(__file__).resolve().parent
POOLS = [f"pool {n}" for n in range(4)] + ["executor 0", "executor 1"]


def threads_of(names):
    return [f"{name}{end}" for name in names for end in ("", " thread 0", " thread 1", " thread 2")]


@unittest.skipUnless(hasattr(os, "fork"), "no fork here")
class ForksTest(unittest.TestCase):
    def run_program(self, *args, **variables):
        env = {**os.environ, **variables}
        return subprocess.run(args, cwd=HERE.parent, timeout=300, capture_output=True, text=True, env=env)

    def test_children_send_their_own_events_once(self):
        methods = ["os.fork", *multiprocessing.get_all_start_methods()]
        for method in methods:
            for spool in (False, True):
                with self.subTest(method, spool=spool), tempfile.TemporaryDirectory() as folder:
                    server = CollectingServer()
                    self.addCleanup(server.close)
                    variables = {"URL": server.url, "METHOD": method, "FOLDER": folder if spool else ""}
                    ended = self.run_program(
                        sys.executable, "-m", "tests.forking_application", **variables
                    )
                    self.assertEqual((ended.returncode, ended.stderr), (0, ""))
                    names = ["parent before", "child 0", "child 1", "parent after"]
                    names += [] if method == "os.fork" else POOLS
                    self.assertEqual(server.actors, sorted(threads_of(names)))

    def test_a_child_ends_by_a_sigterm_that_comes_at_its_very_beginning(self):
        program = (
            "import os, signal, sys, threading, time, cairn_client\n"
            "cairn = cairn_client.Cairn(sys.argv[1], 'test-key', handle_sigterm=True)\n"
            "def fork():\n"
            "    child = os.fork()\n"
            "    if child == 0:\n"
            # Python calls no handler in a sleep that begins right after the signal has come.
            "        for _ in range(200): time.sleep(0.1)\n"
            "        os._exit(9)\n"
            "    os.kill(child, signal.SIGTERM)\n"
            "    return os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGTERM\n"
            "print(all([fork() for _ in range(10)]), signal.pthread_sigmask(signal.SIG_BLOCK, ()))\n"
        )
        server = CollectingServer()
        self.addCleanup(server.close)
        ended = self.run_program(sys.executable, "-c", program, server.url)
        self.assertEqual((ended.stdout, ended.stderr), ("True set()\n", ""))

    def test_nothing_is_imported_after_the_client_was(self):
        # A thread that is importing while another forks holds a lock that the child waits for without end.
        program = (
            "import sys, threading, cairn_client, cairn_client.spool, cairn_client.outbox\n"
            "cairn = cairn_client.Cairn(sys.argv[1], 'test-key', on_error=lambda *_: None, timeout=60.0)\n"
            "before = set(sys.modules)\n"
            "for url in (sys.argv[1], 'http://localhost:1', 'https://127.0.0.1:1'):\n"
            "    other = cairn_client.Cairn(url, 'test-key', on_error=lambda *_: None, timeout=1.0)\n"
            "    other.record({'actor_id': 'ada', 'action': 'a.b'}, failure='open')\n"
            "    other.enqueue({'actor_id': 'ada', 'action': 'a.b'})\n"
            "    other.close(timeout=0.01)\n"
            "print(sorted(set(sys.modules) - before))\n"
        )
        server = CollectingServer()
        self.addCleanup(server.close)
        ended = self.run_program(sys.executable, "-c", program, server.url)
        self.assertEqual((ended.stdout, ended.stderr), ("[]\n", ""))
