#!/usr/bin/env python3
"""Puts raw HTTP/1 messages through haproxy and hawser, and compares what each makes of them, byte for byte.

    tests/conformance/http1/compare.py [--haproxy haproxy] [--hawser build/release/hawser] [--only REGEX] [--show]

Compared are what the client receives, whether its connection still serves another request, and what the server receives, over
which of its connections. The cases stand in *.cases (cases.py says how). A difference is a failure, but for those that a case
names with its reason; such a one fails when it is gone.
"""

import argparse
import concurrent.futures
import os
import pathlib
import queue
import re
import socket
import subprocess
import sys
import tempfile
import time

import cases
import parties

HERE = pathlib.Path(__file__).resolve().parent
PLAIN_SLOTS = 16

DEFAULTS = """
global
    nbthread 1
defaults
    mode http
    http-reuse never
    timeout client 20s
    timeout server 20s
    timeout connect 20s
"""


class Slot:
    """A section of the configuration with its listener and its server: one case at a time."""

    def __init__(self, config):
        self.config = config
        self.server = parties.Server()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        os.set_inheritable(self.listener.fileno(), True)
        self.address = self.listener.getsockname()

    def section(self, number):
        lines = [f"listen l{number}", f"    bind fd@{self.listener.fileno()}"]
        if any(line.startswith("http-re") for line in self.config):
            lines.append("    http-request set-var(txn.probe) path if { path /probe }")
        spared = " unless { var(txn.probe) -m found }"  # the rule is no business of the probe
        lines += [f"    {line}" + (spared if line.startswith("http-re") else "") for line in self.config]
        return "\n".join(lines + [f"    server s 127.0.0.1:{self.server.port}", ""])

    def play(self, case, quiet):
        """What came of the case: the client's bytes, its state, the server's bytes."""
        self.server.begin(case.responses, case.options)
        client = parties.Client(self.address, quiet)
        heads = [line.startswith(b"HEAD ") for line in re.findall(rb"(?m)^[A-Z]+ [^\r\n]* HTTP/\d\.\d", b"".join(case.requests))]
        asked = 0
        for number, request in enumerate(case.requests):
            client.send(request)
            last = number == len(case.requests) - 1
            if last and "half-close" in case.options:
                client.half_close()
            asked += len(re.findall(rb"(?m)^[A-Za-z]+ +[^\r\n]* +HTTP/", request)) or (1 if number == 0 else 0)
            client.receive(lambda data: parties.final_responses(data, heads) >= asked)
        if "close" in case.options:
            self.wait_for_end(quiet)
        if client.state == "open" and "no probe" not in case.options and "half-close" not in case.options:
            client.send(parties.PROBE)
            client.receive(lambda data: data.endswith(b"probed"))
            client.state = {"closed": "closed"}.get(client.state, "open" if client.received.endswith(b"probed") else "waits")
        elif client.state == "open":
            client.receive(lambda data: False)
        client.close()
        only_heads = bool(heads) and all(heads)
        return Result(client.received, client.state, [bytes(one) for one in self.server.received], only_heads)

    def wait_for_end(self, quiet):
        end = time.monotonic() + quiet
        while self.server.received and not self.server.ended and time.monotonic() < end:
            time.sleep(0.005)


class Result:
    def __init__(self, client, state, server, answers_head=False):
        self.status = (re.findall(rb"HTTP/\d\.\d (\d+)", client) or [b"none"])[0].decode()
        if self.status == "100" or self.status == "103":
            self.status = (re.findall(rb"HTTP/\d\.\d ([2-9]\d+)", client) or [b"none"])[0].decode()
        self.state = state
        self.client = client if answers_head else parties.joined_chunks(client)
        self.server = [parties.joined_chunks(one) for one in server if one]

    def summary(self):
        return f"{self.status} {self.state}"

    def __eq__(self, other):
        return (self.client, self.state, self.server) == (other.client, other.state, other.server)

    def __str__(self):
        server = "".join(f"\n    server {n}: {one[:1500]!r}" for n, one in enumerate(self.server))
        return f"{self.summary()}\n    client:   {self.client[:1500]!r}{server}"


class Program:
    """A proxy that serves all slots."""

    def __init__(self, binary, configs):
        self.slots = [Slot(config) for config in configs]
        self.folder = tempfile.TemporaryDirectory(prefix="hawser-")
        path = pathlib.Path(self.folder.name) / "cfg"
        path.write_text(DEFAULTS + "\n".join(slot.section(n) for n, slot in enumerate(self.slots)))
        self.process = subprocess.Popen([binary, "-db", "-f", str(path)], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        pass_fds=[slot.listener.fileno() for slot in self.slots])
        self.free = {}
        for slot in self.slots:
            self.free.setdefault(slot.config, queue.Queue()).put(slot)

    def play(self, case, quiet):
        if self.process.poll() is not None:
            raise AssertionError(f"{self.process.args[0]} is gone:\n{self.process.stdout.read().decode()}")
        slots = self.free[case.config]
        slot = slots.get()
        try:
            return slot.play(case, quiet)
        finally:
            slots.put(slot)

    def stop(self):
        self.process.terminate()
        output = self.process.communicate(timeout=20)[0].decode()
        self.folder.cleanup()
        if self.process.returncode not in (0, -15, 143):
            sys.exit(f"{self.process.args[0]} ended with {self.process.returncode}:\n{output}")


def judge(case, theirs, ours):
    """What is wrong, or "". """
    if case.known:
        if theirs == ours:
            return f"the known difference is gone ({theirs.summary()})"
        if (theirs.summary(), ours.summary()) != case.known[:2]:
            return f"the known difference is another: {case.known[0]}; {case.known[1]}"
        return ""
    return "" if theirs == ours else "differs"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--haproxy", default="haproxy")
    parser.add_argument("--hawser", default="build/release/hawser")
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true", help="print what came of every case")
    parser.add_argument("--quiet", type=float, default=0.6, help="seconds without a byte that end a wait")
    parser.add_argument("files", nargs="*", default=sorted(HERE.glob("*.cases")))
    options = parser.parse_args()
    every = [case for file in options.files for case in cases.read(file) if re.search(options.only, case.name)]
    names = [case.name for case in every]
    if len(set(names)) != len(names):
        sys.exit(f"two cases of one name: {sorted(name for name in set(names) if names.count(name) > 1)}")
    configs = sorted({case.config for case in every} - {()}) + [()] * PLAIN_SLOTS
    programs = [Program(options.haproxy, configs), Program(options.hawser, configs)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2 * PLAIN_SLOTS) as pool:
        asked = [[pool.submit(program.play, case, options.quiet) for program in programs] for case in every]
        for case, futures in zip(every, asked):
            theirs, ours = (future.result() for future in futures)
            for _ in range(3):  # once more, with patience: a busy machine is no difference
                if not judge(case, theirs, ours):
                    break
                theirs, ours = (program.play(case, 4 * options.quiet) for program in programs)
            wrong = judge(case, theirs, ours)
            failed += bool(wrong)
            if wrong or options.show:
                print(f"--- {case.name} ({case.place}) {wrong}\n  haproxy: {theirs}\n  hawser:  {ours}", flush=True)
    for program in programs:
        program.stop()
    print(f"{len(every)} cases, {sum(bool(case.known) for case in every)} known differences, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
