"""Starting, signals, the background: hawser lives and ends as haproxy does.

A program's readiness is an answer on a listening socket that it inherits, so nothing here sleeps."""
import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile

from compare import PROGRAMS, check, finish, normalise

numbers = itertools.count()

CONFIGURATION = """\
global
 {extra}
defaults
 mode http
 timeout client 3s
 timeout server 3s
 timeout connect 3s
frontend fe
 bind fd@{descriptor}
 http-request return status 200
listen li
 bind abns@{name}
backend b
 server s 127.0.0.1:1
"""


class Instance:
    """One program that serves; `with` it."""

    def __init__(self, program, words, directory, extra=""):
        self.program = program
        self.listener = socket.create_server(("127.0.0.1", 0))
        configuration = os.path.join(directory, f"{program}.cfg")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(extra=extra, descriptor=self.listener.fileno(),
                                            name=f"hawser-life-{os.getpid()}-{next(numbers)}"))
        self.process = subprocess.Popen([PROGRAMS[program], *words, "-f", configuration], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        pass_fds=[self.listener.fileno()])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.listener.close()

    def ask(self):
        """The status line of an answer: it serves."""
        with socket.create_connection(self.listener.getsockname(), timeout=20) as client:
            client.sendall(b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
            return client.makefile("rb").readline().decode()

    def end(self, number):
        self.process.send_signal(number)
        out, error = self.process.communicate(timeout=30)
        return self.process.returncode, normalise(out, self.program), normalise(error, self.program)


def without_own(text):
    """haproxy has a proxy of its own that stops too; and the connection that asked is counted."""
    kept = [line for line in text.split("\n") if "<HTTPCLIENT>" not in line]
    return re.sub(r"FE: \d+", "FE: N", "\n".join(kept))


def both(name, words, number, directory, extra="", compare_stderr=True):
    ends = {}
    for program in PROGRAMS:
        with Instance(program, words, directory, extra) as instance:
            check(f"{name}: {program} answers", "200" in instance.ask())
            status, _, error = instance.end(number)
            ends[program] = (status, without_own(error) if compare_stderr else "")
    check(name, ends["hawser"] == ends["haproxy"], repr(ends))


def harmless(directory):
    with Instance("hawser", ["-db"], directory) as instance:
        instance.ask()
        for number in (signal.SIGHUP, signal.SIGUSR2, signal.SIGPIPE):
            instance.process.send_signal(number)
        check("HUP, USR2 and PIPE are harmless", "200" in instance.ask())


def drained(directory):
    """USR1 lets a connection finish, and takes no more."""
    with Instance("hawser", ["-db"], directory) as instance:
        with socket.create_connection(instance.listener.getsockname(), timeout=20) as client:
            client.sendall(b"GET / HTTP/1.1\r\nhost: a\r\n")
            instance.ask()  # the first connection has been accepted, too
            instance.process.send_signal(signal.SIGUSR1)
            first = instance.process.stderr.readline() + instance.process.stderr.readline()
            client.sendall(b"\r\n")
            check("a request that had begun is answered", b"200" in client.makefile("rb").readline(), first)
        _, _ = instance.process.communicate(timeout=30)
        check("and then the process ends well", instance.process.returncode == 0)


def daemon(directory):
    """-D: back when it serves, whatever -db says; the pidfile holds its number; stdio is let go."""
    for program in PROGRAMS:
        pidfile = os.path.join(directory, f"{program}.pid")
        with Instance(program, ["-D", "-db", "-p", pidfile], directory) as instance:
            out, error = instance.process.communicate(timeout=30)  # ends only when nobody holds the pipes
            check(f"-D: {program} says nothing", (out, error) == ("", ""), error)
            check(f"-D: {program} comes back", instance.process.returncode == 0)
            with open(pidfile, encoding="utf-8") as file:
                text = file.read()
            check(f"-D: {program}'s pidfile is a number and a newline", re.fullmatch(r"\d+\n", text), text)
            check(f"-D: {program} answers", "200" in instance.ask())
            pid = int(text)
            check(f"-D: {program} leads a session", os.getsid(pid) == pid)
            os.kill(pid, signal.SIGTERM)


def no_pidfile(directory):
    pidfile = os.path.join(directory, "foreground.pid")
    with Instance("hawser", ["-db", "-p", pidfile], directory) as instance:
        instance.ask()
        check("-p writes nothing in the foreground, as with haproxy", not os.path.exists(pidfile))


def privileges(directory):
    """Before it answers it has given up root and the file system outside of the chroot."""
    if os.geteuid() != 0:
        print("not root: giving up root is not tested")
        return
    root = os.path.join(directory, "root")
    os.makedirs(root)
    with Instance("hawser", ["-db"], directory, f"chroot {root}\n uid 65534\n gid 65533") as instance:
        check("it answers from within a chroot", "200" in instance.ask())
        with open(f"/proc/{instance.process.pid}/status", encoding="utf-8") as file:
            status = file.read()
        check("its user is the configured one", "Uid:\t65534\t65534\t65534\t65534" in status, status)
        check("and its group", "Gid:\t65533\t65533\t65533\t65533" in status, status)
        check("it keeps no other group", re.search(r"Groups:\s*\n", status), status)
        check("its root is the configured one", os.readlink(f"/proc/{instance.process.pid}/root") == root)


def resident(directory):
    """The serving process never grows by parsing: 12 MB at most with 4 threads after the start."""
    with Instance("hawser", ["-db"], directory, "nbthread 4") as instance:
        instance.ask()
        with open(f"/proc/{instance.process.pid}/status", encoding="utf-8") as file:
            status = file.read()
        kilobytes = int(re.search(r"VmRSS:\s+(\d+)", status).group(1))
        print(f"resident: {kilobytes} kB")
        check("at most 12 MB are resident with 4 threads", kilobytes <= 12 * 1024, f"{kilobytes} kB")


def main():
    with tempfile.TemporaryDirectory() as directory:
        both("TERM ends at once, by that signal", ["-db"], signal.SIGTERM, directory)
        both("INT ends at once, by that signal", ["-db"], signal.SIGINT, directory)
        both("USR1 finishes, and says which proxies stopped", ["-db"], signal.SIGUSR1, directory)
        both("-q hides that", ["-q", "-db"], signal.SIGUSR1, directory)
        both("-d stays in the foreground", ["-d"], signal.SIGINT, directory, "daemon", compare_stderr=False)
        both("-db does, too", ["-db"], signal.SIGINT, directory, "daemon", compare_stderr=False)
        harmless(directory)
        drained(directory)
        daemon(directory)
        no_pidfile(directory)
        privileges(directory)
        if "--no-memory" not in sys.argv:
            resident(directory)
    finish()


main()
