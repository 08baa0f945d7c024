"""A gamed under callgrind, and the profiles that callgrind writes of it."""

import collections
import glob
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Support", "Python"))

from gamed import Daemon, use_program  # noqa: E402, F401
from resp import Refusal  # noqa: E402, F401

# Programs choose code by CPU, so that the same work takes other numbers of instructions on another machine. valgrind emulates a CPU, but
# one with AVX only if the machine has it. Without these features glibc takes its plain variants of memcpy, strlen and others everywhere, and
# OpenSSL its plain ciphers. The sizes of caches, from which memcpy chooses a loop, are fixed. Swift seeds its hashes the same way each time.
FEATURES = "AVX AVX2 AVX512F AVX512VL AVX512BW BMI1 BMI2 ERMS FSRM LZCNT MOVBE RTM SSSE3 SSE4_1 SSE4_2 XSAVE XSAVEC".split()
PINNED = {
    "GLIBC_TUNABLES": ":".join([
        "glibc.cpu.hwcaps=" + ",".join("-" + feature for feature in FEATURES),
        "glibc.cpu.x86_data_cache_size=32768", "glibc.cpu.x86_shared_cache_size=1048576",
        "glibc.cpu.x86_non_temporal_threshold=786432", "glibc.malloc.arena_max=8"]),
    "OPENSSL_ia32cap": "0:0", "SWIFT_DETERMINISTIC_HASHING": "1"}
ALLOCATORS = {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign"}
SECONDS = 120


class Server(Daemon):
    """gamed for counted work, with no other client beside it."""

    def __init__(self, *words, **more):
        super().__init__(*words, environment=PINNED, unprobed="it would add to what is counted", **more)


class CountedServer(Server):
    """The same under callgrind. Its first thread is the loop's."""

    def __init__(self, *words, **more):
        super().__init__(*words, **more)
        self.out = os.path.join(self.folder, "profile")
        self.words = ["valgrind", "-q", "--tool=callgrind", "--separate-threads=yes", "--fair-sched=yes", "--compress-strings=no",
                      "--compress-pos=no", f"--callgrind-out-file={self.out}", *self.words]

    def counted(self, work):
        """The profile of what gamed does while `work` runs."""
        self.control("zero")
        self.forget_profiles()
        work()
        self.control("dump")
        return Profile(self.out)

    def counted_life(self):
        """The profile of a start, until the sessions are restored, and of the stop after it."""
        try:
            self.start()
            # What it answers is counted, too.
            self.wait_until_restored(every=0.5)
            self.stop(seconds=SECONDS)
            return Profile(self.out)
        finally:
            self.remove()

    def forget_profiles(self):
        for path in glob.glob(self.out + "*"):
            os.unlink(path)

    def control(self, command):
        found = subprocess.run(["vgdb", f"--pid={self.process.pid}", command], capture_output=True, text=True, timeout=SECONDS)
        if found.returncode:
            raise SystemExit(f"vgdb cannot {command} the counts: {found.stderr.strip()}")


class Profile:
    """Instructions and calls by thread and function."""

    def __init__(self, out):
        self.totals = collections.Counter()
        self.calls = collections.Counter()
        self.inclusive = collections.Counter()
        for path in sorted(glob.glob(out + "*-[0-9][0-9]")):
            self.read(path, int(path[-2:]))
        if not self.totals:
            raise SystemExit(f"callgrind wrote no profile to {out}")

    @property
    def total(self):
        return sum(self.totals.values())

    @property
    def loop(self):
        """Instructions of the loop's thread."""
        return self.totals[1]

    def allocations(self, thread=1):
        return sum(self.calls[thread, name] for name in ALLOCATORS)

    def function(self, *parts):
        """Calls and instructions, with all that it calls, of the function whose mangled name contains these parts, on any thread. Of several
        functions, the one with most instructions: a method of that name calls the others. Nothing if it did not run."""
        calls, costs = collections.Counter(), collections.Counter()
        for (thread, name), cost in self.inclusive.items():
            if all(part in name for part in parts):
                calls[name] += self.calls[thread, name]
                costs[name] += cost
        name = max(costs, key=costs.get, default=None)
        return calls[name], costs[name]

    def read(self, path, thread):
        """Costs stand on a line of their own, behind a position. The one after `calls=` is that of the called function."""
        caller = callee = None
        is_call = False
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("fn="):
                    caller = line[3:].rstrip()
                elif line.startswith("cfn="):
                    callee = line[4:].rstrip()
                elif line.startswith("calls="):
                    self.calls[thread, callee] += int(line[6:].split()[0])
                    is_call = True
                elif line[0].isdigit():
                    cost = int(line.split()[1])
                    if not is_call:
                        self.totals[thread] += cost
                    elif caller != callee:
                        self.inclusive[thread, callee] += cost
                    is_call = False
