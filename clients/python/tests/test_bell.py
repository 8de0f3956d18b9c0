"""Waits that end: also those that are over at once, whose timers some interpreters take for none at all."""

import threading
import unittest

from cairn_client._bell import Bell


class BellTest(unittest.TestCase):
    def test_a_wait_without_time_ends_at_once(self):
        done = []

        def wait():
            for seconds in (0.0, -1.0, 1e-9, 1e-7, 1e-6):
                for _ in range(2000):
                    bell = Bell()
                    self.assertEqual(bell.wait(seconds, "silent"), "silent")
            done.append(True)

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        thread.join(60)
        self.assertEqual(done, [True], "it waits without end")

    def test_a_ring_is_heard_once_with_what_was_said(self):
        bell = Bell()
        bell.ring("a")
        bell.ring()
        self.assertTrue(bell.is_rung)
        self.assertEqual([bell.wait(60.0, 1), bell.wait(60.0, 1), bell.wait(0.001, 1)], ["a", None, 1])
        bell.ring("b")
        bell.clear()
        self.assertFalse(bell.is_rung)
