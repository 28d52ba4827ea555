"""Runs a proxy binary on a generated configuration and reads what it answers to raw requests.

A configuration is a list of expressions and a list of conditions; the answer to each request carries the value of each
expression in a field of its own, and whether each condition held. The same is asked of every binary under test.
"""

import os
import socket
import subprocess
import tempfile
import time


PER_PART = 15  # a line has at most 64 words, and a field in a reply is three


def configuration(expressions, conditions, address):
    """One frontend that answers every request by itself, PER_PART values at a time."""
    lines = [
        "defaults",
        "    mode http",
        "    timeout client 10s",
        "    timeout server 10s",
        "    timeout connect 10s",
        "frontend fe",
        f"    bind {address}",
        "    http-request set-var(txn.seven) req.hdr_cnt(seven),add(7)",
        "    http-request set-var(txn.word) path",
        "    http-request set-var(txn.from) src",
    ]
    for number, condition in enumerate(conditions):
        lines.append(f"    http-request set-var(txn.c{number}) always_true if {condition}")
    reply = "    http-request return status 200"
    for number, expression in enumerate(expressions):
        reply += f' hdr e{number} "<%[{expression}]>"'
        if number % PER_PART == PER_PART - 1:
            reply += f" if {{ req.hdr(part) -m str {number // PER_PART} }}"
            lines.append(reply)
            reply = "    http-request return status 200"
    lines.append(reply + f" if {{ req.hdr(part) -m str {len(expressions) // PER_PART} }}")
    for first in range(0, len(conditions), PER_PART):
        reply = "    http-request return status 200"
        for number in range(first, min(first + PER_PART, len(conditions))):
            reply += f' hdr c{number} "<%[var(txn.c{number})]>"'
        lines.append(reply + f" if {{ req.hdr(part) -m str c{first // PER_PART} }}")
    return "\n".join(lines) + "\n"


class Proxy:
    """A running binary; its listener is bound here and handed down, so no port is guessed."""

    def __init__(self, binary, text):
        self.directory = tempfile.TemporaryDirectory()
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(64)
        self.address = self.listener.getsockname()
        os.set_inheritable(self.listener.fileno(), True)
        path = os.path.join(self.directory.name, "cfg")
        with open(path, "w", encoding="latin-1") as file:
            file.write(text.replace("@LISTENER@", f"fd@{self.listener.fileno()}"))
        self.process = subprocess.Popen(
            [binary, "-db", "-f", path], pass_fds=[self.listener.fileno()],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def ask(self, request):
        """The status and the fields (lower-case name -> value) of the answer to raw bytes."""
        with socket.create_connection(self.address, timeout=10) as connection:
            connection.sendall(request)
            answer = b""
            while b"\r\n\r\n" not in answer:
                chunk = connection.recv(65536)
                if not chunk:
                    break
                answer += chunk
        head = answer.split(b"\r\n\r\n")[0].decode("latin-1")
        lines = head.split("\r\n")
        fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            fields.setdefault(name.lower(), value.strip(" "))
        status = lines[0].split(" ")[1] if " " in lines[0] else ""
        return status, fields

    def stop(self):
        self.process.terminate()
        output = self.process.communicate(timeout=20)[0]
        self.listener.close()
        self.directory.cleanup()
        return output.decode("latin-1")


def with_part(request, part):
    """The request with the field that chooses which expressions are answered."""
    line, _, rest = request.partition(b"\r\n")
    return line + b"\r\npart: " + part.encode() + b"\r\n" + rest


def results(binary, expressions, conditions, requests):
    """For each request, a dictionary from expression or condition to what the binary made of it."""
    proxy = Proxy(binary, configuration(expressions, conditions, "@LISTENER@"))
    parts = [str(part) for part in range(len(expressions) // PER_PART + 1)]
    parts += [f"c{part}" for part in range((len(conditions) + PER_PART - 1) // PER_PART)]
    table = []
    try:
        for request in requests:
            row = {}
            for part in parts:
                try:
                    status, fields = proxy.ask(with_part(request, part))
                except OSError as error:
                    raise RuntimeError(f"{binary} does not answer ({error}):\n{proxy.stop()}") from error
                for name, value in fields.items():
                    if name[0] in "ec" and name[1:].isdigit():
                        names = expressions if name[0] == "e" else conditions
                        row[names[int(name[1:])]] = value
                if status != "200":
                    row["status"] = status
            table.append(row)
    finally:
        output = proxy.stop() if proxy.process.returncode is None else ""
    if not any(table):
        raise RuntimeError(f"{binary} answered nothing:\n{output}")
    return table
