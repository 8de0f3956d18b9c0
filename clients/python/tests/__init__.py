"""Tests of the client. Ones that hang for longer than they may say where, and end."""

import faulthandler
import os

if "CAIRN_TEST_PATIENCE" in os.environ:
    faulthandler.dump_traceback_later(float(os.environ["CAIRN_TEST_PATIENCE"]), exit=True)
