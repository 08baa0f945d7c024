#!/usr/bin/env python3
"""confined.py [GAMED]: plays with a daemon under the restrictions of packaging/systemd/gamed.service, as far as they can be put on a process
without systemd: a seccomp filter of the unit's groups and families, no new privileges, no capabilities, a read-only root, users of
its own, and no memory that can be written and run. It reports restrictions that it could not apply, and exits with status 0 without root.
"""
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Support", "Python"))

from gamed import ROOT  # noqa: E402
from http_client import HTTPClient  # noqa: E402
from resp import Refusal, RESPClient  # noqa: E402
from waiting import wait_until  # noqa: E402

UNIT = os.path.join(ROOT, "packaging/systemd/gamed.service")
USER = 64242
# From the kernel's headers.
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER = 0x20000, 0x4000000, 0x8000000, 0x10000000
CLONE_NAMESPACES = 0x7E020080
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REC, MS_PRIVATE = 1, 2, 4, 0x4000, 0x40000
MOUNT_SETATTR, AT_RECURSIVE, AT_FDCWD = 442, 0x8000, -100
PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP = 38, 24
PROT_WRITE, PROT_EXEC = 2, 4
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
EPERM, ENOSYS = 1, 38
EQUAL, MASKED_EQUAL = 4, 7

libc = ctypes.CDLL(None, use_errno=True)


def checked(result, what):
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


# The unit's settings.

def settings():
    found = {}
    with open(UNIT) as unit:
        for line in unit:
            name, equals, value = line.strip().partition("=")
            if equals and not name.startswith("#"):
                found.setdefault(name, []).append(value)
    return found


def calls(group):
    """The names of the system calls of a group, and of the groups in it."""
    if not group.startswith("@"):
        return {group}
    run = subprocess.run(["systemd-analyze", "syscall-filter", group], capture_output=True, text=True, check=True)
    names = (line.strip() for line in run.stdout.splitlines()[1:])
    return set().union(*(calls(name) for name in names if name and not name.startswith("#")))


def allowed_calls(unit):
    """The first line allows; lines that begin with ~ remove."""
    allowed = set()
    for line in unit["SystemCallFilter"]:
        groups = set().union(*(calls(word) for word in line.lstrip("~").split()))
        allowed = allowed - groups if line.startswith("~") else allowed | groups
    return allowed


# The filter.

class Comparison(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("operation", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


class Filter:
    def __init__(self, refusal):
        self.library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
        self.library.seccomp_init.restype = ctypes.c_void_p
        self.context = ctypes.c_void_p(self.library.seccomp_init(ctypes.c_uint32(refusal)))

    def rule(self, action, name, *comparisons):
        number = self.library.seccomp_syscall_resolve_name(name.encode())
        # System calls of other architectures and of newer kernels.
        if number < 0:
            return
        some = (Comparison * max(1, len(comparisons)))(*comparisons)
        result = self.library.seccomp_rule_add_array(self.context, ctypes.c_uint32(action), number, len(comparisons), some)
        if result < 0:
            raise OSError(-result, f"{name}: {os.strerror(-result)}")

    def load(self):
        result = self.library.seccomp_load(self.context)
        if result < 0:
            raise OSError(-result, f"seccomp: {os.strerror(-result)}")


def filter_of(unit):
    filter = Filter(ERRNO | EPERM)
    names = allowed_calls(unit)
    special = {"socket", "mmap", "mprotect", "pkey_mprotect", "clone", "clone3", "unshare", "setns", "personality"}
    for name in sorted(names - special):
        filter.rule(ALLOW, name)
    for family in unit["RestrictAddressFamilies"][0].split():
        filter.rule(ALLOW, "socket", Comparison(0, EQUAL, getattr(socket, family), 0))
    # MemoryDenyWriteExecute=
    filter.rule(ALLOW, "mmap", Comparison(2, MASKED_EQUAL, PROT_EXEC, 0))
    filter.rule(ALLOW, "mmap", Comparison(2, MASKED_EQUAL, PROT_WRITE, 0))
    filter.rule(ALLOW, "mprotect", Comparison(2, MASKED_EQUAL, PROT_EXEC, 0))
    # RestrictNamespaces=; the C library uses clone if clone3 is missing.
    filter.rule(ALLOW, "clone", Comparison(0, MASKED_EQUAL, CLONE_NAMESPACES, 0))
    filter.rule(ERRNO | ENOSYS, "clone3")
    # LockPersonality=
    filter.rule(ALLOW, "personality", Comparison(0, EQUAL, 0, 0))
    return filter


# The process.

def mount(source, target, kind, flags, data=None):
    arguments = [text.encode() if text else None for text in (source, target, kind)]
    checked(libc.mount(*arguments, ctypes.c_ulong(flags), data.encode() if data else None), f"mount {target}")


def make_read_only():
    attributes = (ctypes.c_uint64 * 4)(MS_RDONLY, 0, 0, 0)
    checked(libc.syscall(MOUNT_SETATTR, AT_FDCWD, b"/", AT_RECURSIVE, attributes, 32), "mount_setattr /")


def confine(unit, to_parent, from_parent):
    checked(libc.unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC), "unshare")
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    make_read_only()
    for folder in ("/run", "/var/lib"):
        mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV)
        os.mkdir(folder + "/gamed", 0o755)
        os.chown(folder + "/gamed", USER, USER)
    filter = filter_of(unit)
    checked(libc.unshare(CLONE_NEWUSER), "unshare users")
    # A process that creates a user namespace has all capabilities in it.
    for number in range(64):
        libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)
    os.write(to_parent, b"x")
    os.read(from_parent, 1)
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)
    os.umask(0o077)
    checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    filter.load()


def start(program, words, environment, unit):
    """Starts the confined process, once it has its user namespace."""
    ours, theirs = os.pipe(), os.pipe()
    process = os.fork()
    if process == 0:
        try:
            confine(unit, ours[1], theirs[0])
            os.execve(program, [program] + words, environment)
        except BaseException as error:
            print(f"cannot be confined: {error}", file=sys.stderr, flush=True)
            os._exit(99)
    os.close(ours[1])
    if os.read(ours[0], 1):
        for kind in ("uid", "gid"):
            with open(f"/proc/{process}/{kind}_map", "w") as map:
                map.write(f"0 0 1\n{USER} {USER} 1\n")
        os.write(theirs[1], b"x")
    return process


# The test play.

def expect(condition, what):
    print(("right: " if condition else "WRONG: ") + what, flush=True)
    if not condition:
        raise SystemExit(1)


def hears(notified, text):
    try:
        while not notified.recv(65536).startswith(text):
            pass
    except TimeoutError:
        return False
    return True


def backup(client, path):
    """Runs BACKUP and returns its final status."""
    answer = client.ask("BACKUP", path)
    if isinstance(answer, Refusal):
        return str(answer)
    return wait_until(lambda: (text := " ".join(map(str, client.must("BACKUP")))) and "running" not in text and text, f"the backup {path} ends")


def status(process, name):
    with open(f"/proc/{process}/status") as file:
        return next(line.split(":")[1].strip() for line in file if line.startswith(name + ":"))


def main(program):
    if os.geteuid() != 0:
        print("skipped: only root can take a process's root and users away")
        return
    print("not applied here: what systemd does with control groups (IPAddressDeny=, DevicePolicy=) and with /proc", flush=True)
    unit = settings()
    notified = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    place = f"gamed-confined-{os.getpid()}"
    notified.bind("\0" + place)
    notified.settimeout(60)
    folder = tempfile.mkdtemp(dir="/tmp")
    os.chmod(folder, 0o755)
    # A directory that every user can read.
    program = shutil.copy(program, folder)
    environment = {
        "PATH": folder + ":/usr/bin:/bin", "RUNTIME_DIRECTORY": "/run/gamed", "STATE_DIRECTORY": "/var/lib/gamed", "NOTIFY_SOCKET": "@" + place,
        "WATCHDOG_USEC": "1000000", "GAMED_CONFIG": "none",
    }
    words = ["--session", "main=game", "--http", "127.0.0.1:0", "--http-open", "--durability", "always"]
    process = start(program, words, environment, unit)
    try:
        play(process, notified)
        os.kill(process, signal.SIGTERM)
        expect(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0, "it stops with status 0")
        process = None
    finally:
        shutil.rmtree(folder)
        if process:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def ready(process, notified):
    while True:
        try:
            message = notified.recv(65536).decode()
        except TimeoutError:
            return False
        if message.startswith("READY=1"):
            return True
        if os.waitpid(process, os.WNOHANG)[0]:
            return False


def play(process, notified):
    expect(ready(process, notified), "it starts, and says that it is ready")
    expect(status(process, "NoNewPrivs") == "1" and status(process, "Seccomp") == "2", "with a filter of system calls, and no new privileges")
    expect(int(status(process, "CapEff"), 16) == 0 and int(status(process, "CapBnd"), 16) == 0, "with no capabilities")
    expect(status(process, "Uid").split() == [str(USER)] * 4, "as a user of its own")
    client = RESPClient(f"/proc/{process}/root/run/gamed/gamed.sock")
    expect(client.ask("SEND", "main", "startPlaying") == "choosingEpisode", "plays over the UNIX socket")
    expect(client.ask("DIAGRAM", "game", "SVG").startswith("<svg"), "draws a diagram")
    expect(" done " in backup(client, "copy.db"), "makes a backup where it may write")
    refused = backup(client, "/etc/gamed-copy.db")
    expect("cannot create" in refused and not os.path.exists("/etc/gamed-copy.db"), f"writes nowhere else: {refused}")
    addresses = next(line for line in client.ask("INFO", "server").splitlines() if line.startswith("addresses:"))
    answer = HTTPClient(int(addresses.rsplit(":", 1)[1])).get("/api/sessions/main")
    expect(answer.status == 200 and b"choosingEpisode" in answer.body, "serves the page's API over TCP")
    os.kill(process, signal.SIGHUP)
    messages = []
    while "READY=1" not in "".join(messages):
        messages.append(notified.recv(65536).decode())
    expect(any(message.startswith("RELOADING=1") for message in messages), "reads its files again")
    expect(client.ask("SEND", "main", "chooseEpisode", "3") == "choosingLevel", "and plays on")
    expect(hears(notified, b"WATCHDOG=1"), "its watchdog beats")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, ".build/release/gamed")))
