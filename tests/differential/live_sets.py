#!/usr/bin/env python3
"""Changes pattern sets while requests flow: every compiled form of a set, interpreted and native, beside haproxy.

    tests/differential/live_sets.py [--haproxy haproxy] [--hawser build/release/hawser] [--seed N] [--commands 200]

Each command (add, del, clear, prepare, commit acl) goes to haproxy first, which is then asked all requests: that is what they
have to be answered from now on. Then hawser gets it. Meanwhile connections of hawser's ask without a pause, and each answer has to be
that of a moment between the asking and the answer: one that came after a command was acknowledged is never of before.
"""

import argparse
import contextlib
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

# A condition, and patterns that commands add to it. Between them: every method, one and many patterns, with and without case,
# a set that is compared inline, one with an index, several sets of one condition.
SETS = [
    ("path /a0", ["/a1", "/b/a.php", "/a0"]),
    ("path_beg /b0 /c0 /d0 /e0 /f0 /g0 /h0", ["/a", "/b", "/c0", "/"]),
    ("path_end .php", [".html", "0", "x"]),
    ("path_end -i .PHP .HTM .TXT .CSS", [".XML", "l"]),
    ("path_sub /b/", ["c", "a0"]),
    ("path_dir b", ["a0", "c"]),
    ("path_dom php", ["a", "x"]),
    ("path_reg ^/b/.*[.]php$", ["^/a", "0$"]),
    ("path_len 3", ["4", "5", "8"]),
    ("hdr(host) -i one.example", ["TWO.example", "ten.example", "one.example"]),
    ("hdr(host) one.example two.example three.example four.example five.example", ["TEN.example", "ten.example"]),
    ("hdr_beg(host) -i one two three four five", ["TEN", "t", "o"]),
    ("hdr_sub(host) example", ["ten", "w"]),
    ("hdr_dom(host) -i example", ["ten", "one"]),
    ("hdr_cnt(x) 2", ["0", "3:5", "1"]),
    ("hdr_val(n) 1 5 7 10:20 gt 100", ["3", "30:40"]),
    ("hdr_ip(ip) 10.0.0.0/8", ["192.0.2.0/24", "2001:db8::/32", "192.0.2.7"]),
    ("hdr_ip(ip) 10.0.0.1 10.0.0.2 10.0.0.3 10.0.1.0/24 2001:db8::1 2001:db8:1::/48", ["192.0.2.7", "2001:db8::/16"]),
    ("src 127.0.0.1", ["127.0.0.0/8", "::1"]),
    ("method PUT DELETE", ["GET", "FOO"]),
    ("hdr(x) -m found", ["nothing"]),
]
HOSTS = [f"h{number}.example" for number in range(8)]
PATHS = [f"/p{number}/" for number in range(8)]

REQUESTS = [
    ("GET", "/a0", {"Host": "one.example"}),
    ("GET", "/a1", {"Host": "TWO.example", "x": "1", "n": "3"}),
    ("PUT", "/b/a.php", {"Host": "ten.example", "x": "1", "ip": "10.0.0.2"}),
    ("GET", "/c0/x", {"Host": "three.example.org", "n": "5", "ip": "192.0.2.7"}),
    ("FOO", "/d0/y.html", {"Host": "a.one.b", "n": "35", "ip": "2001:db8::1"}),
    ("GET", "/p3/p", {"Host": "h3.example", "n": "101", "ip": "10.9.9.9"}),
    ("GET", "/p5/", {"Host": "H6.example", "ip": "2001:db8:1::5"}),
    ("DELETE", "/p7/x.CSS", {"Host": "h0.example", "n": "15"}),
    ("GET", "/", {"Host": "new.example"}),
]
SENT_HOSTS = [fields["Host"].upper() for _, _, fields in REQUESTS]
SENT_BEGINNINGS = ["/"] + [path[:2] for _, path, _ in REQUESTS]
# What is asked of each frontend: whether each condition holds; the first rule of a run; the backend of a list; either of two.
PARTS = ["each", "run", "list", "both"]


def configuration(address, control, tuning):
    lines = ["global", *tuning, f"  stats socket {control} mode 600 level admin", "  nbthread 4", "defaults", "  mode http",
             "  timeout client 20s", "  timeout server 20s", "  timeout connect 20s", "frontend fe", f"  bind {address}",
             "  use_backend each if { req.hdr(part) each }", "  use_backend run if { req.hdr(part) run }",
             "  use_backend both if { req.hdr(part) both }"]
    lines += [f"  use_backend {host.split('.')[0]} if {{ hdr(host) -i {host} }}" for host in HOSTS]
    lines += ["  default_backend none"]
    lines += ["backend each"]
    for number, (condition, _) in enumerate(SETS):
        lines.append(f"  http-request set-var(txn.c{number}) always_true if {{ {condition} }}")
    values = ",".join(f"{number}:%[var(txn.c{number})]" for number in range(len(SETS)))
    lines.append(f'  http-request return status 200 hdr sets "{values}"')
    lines += ["backend run"]
    lines += [f"  http-request return status 200 hdr rule {number} if {{ path_beg {path} }}" for number, path in enumerate(PATHS)]
    lines += ["  http-request return status 200 hdr rule none"]
    lines += ["backend both"]
    for number, (host, path) in enumerate(zip(HOSTS, PATHS)):
        lines.append(f"  http-request return status 200 hdr rule {number} if {{ hdr(host) -i {host} }} {{ path_beg {path} }}")
    lines += ["  http-request return status 200 hdr rule none"]
    for name in [host.split(".")[0] for host in HOSTS] + ["none"]:
        lines += [f"backend {name}", f"  http-request return status 200 hdr backend {name}"]
    return "\n".join(lines) + "\n"


def commands(references, randoms, count):
    """Random commands: whole lines, one a time. `references` has each set's own first patterns and those to add, by its number."""
    prepared = {}
    for _ in range(count):
        number = randoms.choice(list(references))
        own, more = references[number]
        kind = randoms.random()
        if number in prepared and kind < 0.5:
            version = prepared.pop(number)
            yield f"commit acl @{version} #{number}"
        elif kind < 0.4:
            yield f"add acl #{number} {randoms.choice(more)}"
        elif kind < 0.8:
            yield f"del acl #{number} {randoms.choice(own + more)}"
        elif kind < 0.9 or references[number].current_only:
            yield f"clear acl #{number}"
        else:
            # Its version is the next one of both; the command's answer is compared as well.
            yield f"prepare acl #{number}"
            version = prepared[number] = references[number].versions = references[number].versions + 1
            for _ in range(2):
                yield f"add acl @{version} #{number} {randoms.choice(own + more)}"


class Reference(tuple):
    versions = 0
    current_only = False


def all_references():
    """The sets by `#N`, in the order of the file."""
    rows = [Reference((["each"], ["other"])), Reference((["run"], ["other"])), Reference((["both"], ["other"]))]
    rows += [Reference(([host], SENT_HOSTS)) for host in HOSTS]
    for condition, more in SETS:
        words = [word for word in condition.split()[1:] if not word.startswith("-") and word not in ("gt", "found")]
        rows.append(Reference((words, more)))
        # haproxy lets methods match that are not committed yet.
        rows[-1].current_only = condition.startswith("method")
    rows += [Reference(([path], SENT_BEGINNINGS)) for path in PATHS]
    for host, path in zip(HOSTS, PATHS):
        rows += [Reference(([host], SENT_HOSTS)), Reference(([path], SENT_BEGINNINGS))]
    return dict(enumerate(rows))


class Connection:
    """A kept connection that asks, and reads answers without a body."""

    def __init__(self, address):
        self.socket = socket.create_connection(address, timeout=20)
        self.left = b""

    def ask(self, part, request):
        method, path, fields = request
        head = f"{method} {path} HTTP/1.1\r\npart: {part}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.socket.sendall((head + "\r\n").encode())
        while b"\r\n\r\n" not in self.left:
            chunk = self.socket.recv(65536)
            if not chunk:
                raise AssertionError(f"the connection ended instead of an answer to {head!r}")
            self.left += chunk
        answer, _, self.left = self.left.partition(b"\r\n\r\n")
        lines = answer.decode().lower().split("\r\n")
        fields = [line.replace(": ", "=") for line in lines[1:] if not line.startswith("content-length")]
        return " ".join([lines[0].split(" ")[1]] + sorted(fields))

    def ask_all(self):
        return [self.ask(part, request) for part in PARTS for request in REQUESTS]


class Proxy:
    def __init__(self, binary, words=(), tuning=()):
        self.folder = tempfile.TemporaryDirectory(prefix="hawser-")
        self.control = f"{self.folder.name}/control"
        listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = listener.getsockname()
        os.set_inheritable(listener.fileno(), True)
        path = f"{self.folder.name}/cfg"
        with open(path, "w", encoding="utf-8") as file:
            file.write(configuration(f"fd@{listener.fileno()}", self.control, tuning))
        self.process = subprocess.Popen([binary, "-db", "-f", path, *words], pass_fds=[listener.fileno()],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        listener.close()
        self.connection = Connection(self.address)
        self.connection.ask(PARTS[0], REQUESTS[0])  # it serves: its command socket is there

    def command(self, line):
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(20)
            control.connect(self.control)
            control.sendall(line.encode() + b"\n")
            answer = b""
            while chunk := control.recv(65536):
                answer += chunk
        return answer.decode().strip()

    def info(self):
        return dict(line.split(": ", 1) for line in self.command("show info").splitlines() if ": " in line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        output = self.process.communicate(timeout=20)[0].decode()
        self.folder.cleanup()
        if self.process.returncode not in (0, -15):
            raise AssertionError(f"it ended with {self.process.returncode}:\n{output}")


class Traffic:
    """Connections that ask without a pause, each in a thread of its own."""

    def __init__(self, address, expected, count=4):
        self.address, self.expected = address, expected  # by moment: the answers to all
        self.issued = self.acknowledged = 0  # moments: of the newest command sent, and of the newest answered
        self.ended = False
        self.answers = 0
        self.wrong = []
        self.threads = [threading.Thread(target=self.run, args=(number,)) for number in range(count)]

    def run(self, number):
        try:
            connection = Connection(self.address)
            at = number
            while not self.ended:
                at = (at + 1) % (len(PARTS) * len(REQUESTS))
                part, request = PARTS[at // len(REQUESTS)], REQUESTS[at % len(REQUESTS)]
                first = self.acknowledged
                answer = connection.ask(part, request)
                last = self.issued
                if not any(self.expected[moment][at] == answer for moment in range(first, last + 1)):
                    self.wrong.append(f"{part} {request}: {answer}\n  expected at {first}: {self.expected[first][at]}"
                                      f"\n  expected at {last}: {self.expected[last][at]}")
                self.answers += 1
        except (OSError, AssertionError) as error:
            self.wrong.append(f"a connection failed: {error}")

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        for thread in self.threads:
            thread.join()


def compare(options, words):
    """Returns what is wrong."""
    randoms = random.Random(options.seed)
    # Its cache keeps what patterns of lists answered before a commit (man/guide/differences.md).
    with Proxy(options.haproxy, tuning=["  tune.pattern.cache-size 0"]) as theirs, Proxy(options.hawser, words) as ours:
        expected = [theirs.connection.ask_all()]
        wrong = []
        with Traffic(ours.address, expected) as traffic:
            if (first := ours.connection.ask_all()) != expected[0]:
                wrong.append(f"before any command: {first}\n  haproxy: {expected[0]}")
            for line in commands(all_references(), randoms, options.commands):
                told = theirs.command(line)
                expected.append(theirs.connection.ask_all())
                before = traffic.answers
                traffic.issued += 1
                said = ours.command(line)
                traffic.acknowledged += 1
                if said != told:
                    wrong.append(f"{line}: hawser says {said!r}, haproxy {told!r}")
                for at, (own, other) in enumerate(zip(ours.connection.ask_all(), expected[-1])):
                    if own != other:
                        wrong.append(f"after {line}: {PARTS[at // len(REQUESTS)]} {REQUESTS[at % len(REQUESTS)]}\n"
                                     f"  hawser  {own}\n  haproxy {other}")
                # Traffic goes on between any two commands.
                end = time.monotonic() + 20
                while traffic.answers < before + 8 and not traffic.wrong and time.monotonic() < end:
                    time.sleep(0.0005)
                if wrong or traffic.wrong:
                    break
        wrong += traffic.wrong
        info = ours.info()
        print(f"{' '.join(words)}: {len(expected) - 1} commands, {traffic.answers} answers meanwhile, {len(wrong)} wrong; " +
              ", ".join(f"{name} {value}" for name, value in info.items() if name.startswith(("Jit", "Exchanges"))))
        if "--jit=on" in words and (info["JitFunctions"] != info["JitNative"] or info["ExchangesInterpreted"] != "0"):
            wrong.append("not every function was native")
        changes = sum(one != other for one, other in zip(expected, expected[1:]))
        if changes * 10 < len(expected):
            wrong.append(f"only {changes} of {len(expected) - 1} commands changed an answer")
        return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--haproxy", default="haproxy")
    parser.add_argument("--hawser", default="build/release/hawser")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--commands", type=int, default=200)
    parser.add_argument("--jit", nargs="*", default=["off", "on"])
    options = parser.parse_args()
    print(f"seed {options.seed}")
    wrong = []
    for mode in options.jit:
        wrong += compare(options, [f"--jit={mode}"])
    for one in wrong[:20]:
        print(one)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
