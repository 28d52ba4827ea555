"""A process takes another one's place, ten times, while clients come and go: no request fails.

Each client opens a connection a request, which is the hardest: what the kernel has queued for the old process must be served."""
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from compare import PROGRAMS, check, finish
from harness import free_ports, listens, wait_until

CONFIGURATION = """\
global
 stats socket {folder}/admin.sock level admin{expose}
 {extra}
defaults
 mode http
 timeout client 10s
 timeout server 10s
 timeout connect 10s
frontend fe
 bind 127.0.0.1:{port}
 bind {folder}/fe.sock
 bind abns@hawser-replace-{port}
 http-request return status 200
"""
TIMES = 10


class Clients:
    """Threads that ask, each with a connection a request, until they are told to stop."""

    def __init__(self, addresses):
        self.failures, self.served, self.going = [], 0, True
        self.threads = [threading.Thread(target=self.ask, args=(address,)) for address in addresses for _ in range(2)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.going = False
        for thread in self.threads:
            thread.join()

    def ask(self, address):
        family = socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX
        while self.going:
            try:
                with socket.socket(family) as client:
                    client.settimeout(20)
                    client.connect(address)
                    client.sendall(b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
                    line = client.makefile("rb").readline()
                if b" 200 " not in line:
                    raise OSError(f"answered {line!r}")
                self.served += 1
            except OSError as error:
                self.failures.append(f"{address}: {error}")


class Old:
    """Processes that were started, by number."""

    def __init__(self, folder, port, expose="", extra=""):
        self.folder = folder
        self.configuration = os.path.join(folder, "replace.cfg")
        pathlib.Path(self.configuration).write_text(
            CONFIGURATION.format(folder=folder, port=port, expose=expose, extra=extra), encoding="utf-8")
        self.pidfile = os.path.join(folder, "pid")

    def start(self, *words):
        end = subprocess.run([PROGRAMS["hawser"], "-D", "-p", self.pidfile, "-f", self.configuration, *words],
                             stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        if end.returncode != 0:
            raise AssertionError(f"did not start: {end.stderr}")
        return int(pathlib.Path(self.pidfile).read_text(encoding="utf-8"))


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def replace(name, words_for, expose="", with_abstract=False):
    """`words_for(old pid, folder)`: the words with which a new process takes the place of an old one."""
    with tempfile.TemporaryDirectory(prefix="hawser-") as folder:
        port, = free_ports(1)
        old = Old(folder, port, expose)
        addresses = [("127.0.0.1", port), f"{folder}/fe.sock"]
        if with_abstract:
            addresses.append(b"\0" + f"hawser-replace-{port}".encode().ljust(107, b"\0"))
        else:
            text = pathlib.Path(old.configuration).read_text(encoding="utf-8")
            pathlib.Path(old.configuration).write_text(text.replace(f" bind abns@hawser-replace-{port}\n", ""),
                                                       encoding="utf-8")
        pid = old.start()
        try:
            with Clients(addresses) as clients:
                for _ in range(TIMES):
                    before = clients.served
                    new = old.start(*words_for(pid, folder))
                    wait_until(lambda: not alive(pid), what="the end of the old process")  # noqa: B023
                    pid = new
                    wait_until(lambda: clients.served > before or clients.failures, what="a request")  # noqa: B023
            check(f"{name}: no request fails", not clients.failures,
                  f"{len(clients.failures)} of {clients.served}: {clients.failures[:5]}")
            print(f"{name}: {clients.served} requests")
        finally:
            os.kill(pid, signal.SIGTERM)


def busy_port():
    """An old process that shares its ports with nobody lets go of them when asked, and takes them up again."""
    with tempfile.TemporaryDirectory(prefix="hawser-") as folder:
        port, = free_ports(1)
        old = Old(folder, port, extra="noreuseport")
        text = pathlib.Path(old.configuration).read_text(encoding="utf-8")
        pathlib.Path(old.configuration).write_text(text.replace(f" bind abns@hawser-replace-{port}\n", ""),
                                                   encoding="utf-8")
        pid = old.start()
        try:
            os.kill(pid, signal.SIGTTOU)
            wait_until(lambda: not listens(port), what="the pause")
            os.kill(pid, signal.SIGTTIN)
            wait_until(lambda: listens(port), what="the end of the pause")
            with Clients([("127.0.0.1", port)]) as clients:
                wait_until(lambda: clients.served > 0, what="an answer after the pause")
            new = old.start("-sf", str(pid))
            wait_until(lambda: not alive(pid), what="the end of the old process")
            pid = new
            with Clients([("127.0.0.1", port)]) as clients:
                wait_until(lambda: clients.served > 0, what="an answer of the new process")
            check("a port that cannot be shared changes hands", True)
        finally:
            os.kill(pid, signal.SIGTERM)


def refusals():
    with tempfile.TemporaryDirectory(prefix="hawser-") as folder:
        port, = free_ports(1)
        old = Old(folder, port)
        pid = old.start()
        try:
            end = subprocess.run([PROGRAMS["hawser"], "-D", "-f", old.configuration, "-x", f"{folder}/admin.sock"],
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
            check("-x of a socket without expose-fd is refused", end.returncode == 1 and "Failed to get" in end.stderr,
                  end.stderr)
            check("and the old process goes on", alive(pid))
        finally:
            os.kill(pid, signal.SIGTERM)


def unknown_interface():
    with tempfile.TemporaryDirectory(prefix="hawser-") as folder:
        port, = free_ports(1)
        path = os.path.join(folder, "cfg")
        pathlib.Path(path).write_text(f"listen l\n bind 127.0.0.1:{port} interface nosuch0\n", encoding="utf-8")
        end = subprocess.run([PROGRAMS["hawser"], "-db", "-f", path], stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, timeout=60, check=False)
        check("an interface that is not there is an alert",
              end.returncode == 1 and "cannot bind receiver to device 'nosuch0'" in end.stderr, end.stderr)


def hard_stop():
    """hard-stop-after bounds what USR1 waits for."""
    with tempfile.TemporaryDirectory(prefix="hawser-") as folder:
        port, = free_ports(1)
        old = Old(folder, port, extra="hard-stop-after 300ms")
        pid = old.start()
        with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
            client.sendall(b"GET / HTTP/1.1\r\n")
            wait_until(lambda: listens(port))
            os.kill(pid, signal.SIGUSR1)
            wait_until(lambda: not alive(pid), seconds=8, what="the hard stop")
        check("hard-stop-after ends a soft stop", True)


replace("-sf", lambda pid, folder: ["-sf", str(pid)])
replace("-x", lambda pid, folder: ["-sf", str(pid), "-x", f"{folder}/admin.sock"], " expose-fd listeners", True)
busy_port()
refusals()
unknown_interface()
hard_stop()
finish()
