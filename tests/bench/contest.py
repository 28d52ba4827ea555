"""What the benchmarks share: processes that end, CPU time and memory of a process, wrk, and contestants that run in turn."""
import os
import re
import socket
import subprocess
import sys
import time

TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_seconds(pid):
    """User and system time of all threads of a process."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def cpu_seconds_of_tree(pid):
    """The same, of a process and its children, also of those that have ended and were waited for."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    own = sum(int(field) for field in fields[11:15]) / TICKS
    return own + sum(cpu_seconds_of_tree(child) for child in children_of(pid))


def resident_mb(pid):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024


def children_of(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as children:
            found += [int(child) for child in children.read().split()]
    return found


class Processes:
    """What was started, so that it is ended."""

    def __init__(self, folder):
        self.folder = folder
        self.all = []

    def start(self, name, command, port=None, **options):
        log = open(f"{self.folder}/{name}.log", "wb")
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **options)
        self.all.append(process)
        deadline = time.monotonic() + 20
        while port is not None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if process.poll() is not None or time.monotonic() > deadline:
                with open(f"{self.folder}/{name}.log") as log:
                    sys.exit(f"{name} does not serve:\n{log.read()}")
            time.sleep(0.02)
        return process

    def stop(self, process):
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self.all.remove(process)

    def stop_all(self):
        for process in list(self.all):
            self.stop(process)


def load(port, seconds, connections, path="/index.html", host=None):
    """One run of wrk: (requests, requests a second, complaint)."""
    command = ["wrk", "-c", str(connections), "-t", "1", "-d", f"{seconds}s", "--timeout", "30s"]
    if host is not None:
        command += ["-H", f"Host: {host}"]
    command.append(f"http://127.0.0.1:{port}{path}")
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    requests = int(re.search(r"(\d+) requests in", text).group(1))
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
    complaint = " ".join(re.findall(r"(Socket errors:.*|Non-2xx.*)", text))
    return requests, rate, complaint


class Contestant:
    def __init__(self, name, command, port, environment=None):
        self.name = name
        self.command = command
        self.port = port
        self.environment = environment
        self.process = None
        self.micros = []
        self.rates = []
        self.complaints = set()

    def start(self, processes):
        environment = {**os.environ, **(self.environment or {})}
        self.process = processes.start(self.name.replace(" ", "_"), self.command, self.port, env=environment)

    def round(self, seconds, connections):
        before = cpu_seconds(self.process.pid)
        requests, rate, complaint = load(self.port, seconds, connections)
        used = cpu_seconds(self.process.pid) - before
        self.micros.append(used * 1e6 / max(requests, 1))
        self.rates.append(rate)
        if complaint:
            self.complaints.add(complaint)
