"""A fresh Debian in a folder, booted with systemd as its first process by systemd-nspawn."""

import os, pathlib, shutil, signal, subprocess

from waiting import wait_until

CLEAN = ["env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "TERM=dumb", "LANG=C.UTF-8",
         "DEBIAN_FRONTEND=noninteractive"]


class Machine:
    def __init__(self, base, folder):
        self.root = pathlib.Path(folder)
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir(parents=True)
        subprocess.run(["tar", "-xf", base, "-C", self.root], check=True)
        (self.root / "etc/machine-id").unlink(missing_ok=True)
        self.process = self.leader = None

    def boot(self):
        with open(self.root.with_suffix(".log"), "w") as log:
            self.process = subprocess.Popen(
                ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "-D", self.root, "--boot", "--console=pipe"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            wait_until(self.is_booted, f"systemd-nspawn boots; {log.name} says why not", seconds=120, every=0.1)
            return self
        except BaseException:
            self.stop()
            raise

    def is_booted(self):
        if self.process.poll() is not None:
            raise SystemExit(f"systemd-nspawn does not boot here; {self.root.with_suffix('.log')} says why")
        self.leader = self.leader or self.child()
        return self.leader and self.run("systemctl", "is-system-running").output.strip() in ("running", "degraded")

    def child(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for pid in text:
            if "systemd" in pathlib.Path(f"/proc/{pid}/comm").read_text():
                return pid

    def run(self, *words, user=None, stdin=None, timeout=120):
        """Runs a program in the container. Returns its output and exit status."""
        become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"] if user else []
        inside = ["sh", "-c", 'cd / && exec "$@"', "sh"]
        command = ["nsenter", "-t", self.leader, "-a", "--root", *CLEAN, *inside, *become, *words]
        done = subprocess.run(command, input=stdin, stdin=None if stdin else subprocess.DEVNULL, text=True, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return Result(" ".join(words), done.stdout, done.returncode)

    def must(self, *words, **more):
        result = self.run(*words, **more)
        assert result.status == 0, f"{result.command}: status {result.status}:\n{result.output}"
        return result.output

    def path(self, path):
        return self.root / path.lstrip("/")

    def stop(self):
        if self.process and self.process.poll() is None:
            # The first process ends with all others of its namespace.
            os.kill(int(self.leader or self.process.pid), signal.SIGKILL)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Result:
    def __init__(self, command, output, status):
        self.command, self.output, self.status = command, output, status
