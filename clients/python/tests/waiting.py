"""Waits that leave the machine to the others."""

import time


def until(holds):
    """Returns once ``holds()`` does."""
    while not holds():
        time.sleep(0.005)
