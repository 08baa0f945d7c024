"""What the tests of a cluster import from Tests/Support/Python."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Support", "Python"))

from gamed import Daemon, init_store, program_beside, use_program  # noqa: E402, F401
from ports import free_port  # noqa: E402, F401
from resp import Refusal, RESPClient, as_dict  # noqa: E402, F401
from waiting import SECONDS, wait_until  # noqa: E402, F401

FLOWS = os.path.join(HERE, "Flows")
PAGE_FLOWS = os.path.join(HERE, "..", "Page", "Flows")
