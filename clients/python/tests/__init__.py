"""Tests of the client. Ones that hang for longer than they may say where, and end."""

import faulthandler
import os

# Not for the programs that they start: one that forks would wait in vain for the thread that watches.
patience = os.environ.pop("CAIRN_TEST_PATIENCE", None)
if patience is not None:
    faulthandler.dump_traceback_later(float(patience), exit=True)
