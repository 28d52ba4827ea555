"""What the tests that start whole programs share: free ports, nginx origins, a log collector, the proxy itself.

Every process started here is ended by its own id when its `with` block ends.
"""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def find_program(name):
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


def free_ports(count):
    """Ports of 127.0.0.1 that nothing is bound to now. All are held until all are known, so that they differ."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_until(condition, seconds=20.0, what="a condition"):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come about within {seconds} s")
        time.sleep(0.01)


def accepts(port):
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    return False


def listens(port):
    """Whether somebody listens on the port, without a connection that would be logged."""
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError):
            for line in pathlib.Path(table).read_text().splitlines()[1:]:
                _, local, _, state, *_ = line.split()
                if state == "0A" and int(local.rpartition(":")[2], 16) == port:
                    return True
    return False


class Process:
    """A child process, ended with SIGTERM, then SIGKILL."""

    def __init__(self, words, log, env=None, cwd=None):
        self.words = words
        self.log = open(log, "ab")
        self.child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, cwd=cwd,
                                      env={**os.environ, **(env or {})})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self, number=signal.SIGTERM):
        if self.child.poll() is None:
            self.child.send_signal(number)
            try:
                self.child.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        self.log.close()
        return self.child.returncode


class Origin:
    """An nginx of one process that answers every path with its own name; it can be killed and revived."""

    def __init__(self, folder, name, port):
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir()
        self.name, self.port = name, port
        self.config = self.folder / "nginx.conf"
        self.config.write_text(f"""
daemon off; master_process off; pid {self.folder}/pid; error_log {self.folder}/error.log; worker_rlimit_nofile 4096;
events {{ worker_connections 2000; }}
http {{
  access_log off; default_type text/plain; keepalive_requests 1000000;
  client_body_temp_path {self.folder}/body; proxy_temp_path {self.folder}/proxy; fastcgi_temp_path {self.folder}/fcgi;
  uwsgi_temp_path {self.folder}/uwsgi; scgi_temp_path {self.folder}/scgi;
  server {{
    listen 127.0.0.1:{port} backlog=1000;
    location / {{
      add_header X-Origin {name} always;
      add_header X-Seen "$http_x_forwarded_for|$http_x_forwarded_host|$http_x_channel|$http_x_internal_user" always;
      return 200 "{name} $request_method $request_uri\\n";
    }}
    location /missing {{ return 404 "nothing here\\n"; }}
  }}
}}
""")
        self.process = None
        self.start()

    def start(self):
        self.process = Process([find_program("nginx"), "-c", str(self.config), "-p", str(self.folder)],
                               self.folder / "output")
        wait_until(lambda: accepts(self.port), what=f"nginx on port {self.port}")

    def kill(self):
        self.process.stop(signal.SIGKILL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stop(signal.SIGKILL)


class Echo:
    """A TCP server that sends back what it gets: a stand-in for a database."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.socket.accept()
                threading.Thread(target=self.echo, args=(client,), daemon=True).start()

    @staticmethod
    def echo(client):
        with contextlib.suppress(OSError), client:
            while data := client.recv(65536):
                client.sendall(data)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


class LogCollector:
    """Takes log lines by UDP."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for option in (getattr(socket, "SO_RCVBUFFORCE", 33), socket.SO_RCVBUF):
            with contextlib.suppress(OSError):
                self.socket.setsockopt(socket.SOL_SOCKET, option, 32 << 20)
                break
        self.socket.bind(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.socket.getsockname()[1]
        self.datagrams = []
        self.taken = 0
        threading.Thread(target=self.collect, daemon=True).start()

    def collect(self):
        with contextlib.suppress(OSError):
            while True:
                self.datagrams.append(self.socket.recv(65536))

    def next(self, count):
        """The next `count` lines, once they are there."""
        wait_until(lambda: len(self.datagrams) >= self.taken + count, what=f"{count} log lines")
        lines = [one.decode() for one in self.datagrams[self.taken:self.taken + count]]
        self.taken += count
        return lines

    def rest(self):
        """What was sent since, of a sender that has ended: a datagram of our own comes behind its last one."""
        mark = os.urandom(16)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(mark, self.socket.getsockname())
        wait_until(lambda: self.datagrams and self.datagrams[-1] == mark, what="the last log line")
        self.datagrams.pop()
        return self.next(len(self.datagrams) - self.taken)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


@contextlib.contextmanager
def proxy(program, config, ports, folder, env=None):
    """The program, serving `config`, once it listens on all of `ports`."""
    log = pathlib.Path(folder) / "proxy.log"
    with Process([program, "-db", "-f", str(config)], log, env) as process:
        try:
            wait_until(lambda: process.child.poll() is not None or all(listens(port) for port in ports),
                       what=f"{program} listening")
            if process.child.poll() is not None:
                raise AssertionError(f"{program} ended with {process.child.returncode}:\n{log.read_text()}")
            yield process
        finally:
            status = process.stop()
    if status not in (0, -signal.SIGTERM):
        raise AssertionError(f"{program} ended with {status}:\n{log.read_text()[-4000:]}")


HTTP_LINE = re.compile(
    r"^<134>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d haproxy\[\d+\]: (?P<client>[\d.]+):(?P<port>\d+) "
    r"\[(?P<date>\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d\.\d{3})\] (?P<frontend>\S+) (?P<backend>[^/ ]+)/(?P<server>\S+) "
    r"(?P<TR>-?\d+)/(?P<Tw>-?\d+)/(?P<Tc>-?\d+)/(?P<Tr>-?\d+)/(?P<Ta>\+?\d+) (?P<status>-1|\d{3}) (?P<bytes>\d+) "
    r"(?P<cookies>\S+ \S+) (?P<state>\S{4}) (?P<actconn>\d+)/(?P<feconn>\d+)/(?P<beconn>\d+)/(?P<srvconn>\d+)/"
    r"(?P<retries>\+?\d+) (?P<queues>\d+/\d+) \"(?P<request>[^\"]*)\"?\n?$")

TCP_LINE = re.compile(
    r"^<134>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d haproxy\[\d+\]: (?P<client>[\d.]+):(?P<port>\d+) "
    r"\[(?P<date>\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d\.\d{3})\] (?P<frontend>\S+) (?P<backend>[^/ ]+)/(?P<server>\S+) "
    r"(?P<Tw>-?\d+)/(?P<Tc>-?\d+)/(?P<Tt>\+?\d+) (?P<bytes>\d+) (?P<state>\S{2}) (?P<actconn>\d+)/(?P<feconn>\d+)/"
    r"(?P<beconn>\d+)/(?P<srvconn>\d+)/(?P<retries>\+?\d+) (?P<queues>\d+/\d+)\n?$")


def temporary_folder():
    return tempfile.TemporaryDirectory(prefix="hawser-")
