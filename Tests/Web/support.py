"""What the tests of the page's server import from Tests/Support/Python."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Support", "Python"))

from events import Stream  # noqa: E402, F401
from gamed import EXAMPLES, ROOT, Daemon, hosting_everything, run_tests  # noqa: E402, F401
from http_client import quoted  # noqa: E402, F401
from resp import Refusal, as_dict  # noqa: E402, F401
from waiting import SECONDS, in_time, seconds_of, wait_until  # noqa: E402, F401
