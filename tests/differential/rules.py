#!/usr/bin/env python3
"""Puts random configurations and requests to haproxy and to hawser, and compares what reaches the server and the client.

    tests/differential/rules.py --generator build/release/tests/differential/differential_rules
                                [--haproxy haproxy] [--hawser build/release/hawser] [--configurations N] [--seed S]

The server behind both answers with the response that belongs to the request, and with the request's head, as it got it, as the
body. The exit status is 0 when there is no difference but those that man/guide/differences.md lists.
"""

import argparse
import json
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading

import harness

NUMBER_FIELD = "q-id"  # says which response a request is given; no rule touches it


class Origin:
    """Serves the responses of the configuration at hand."""

    def __init__(self):
        self.responses = []
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            data = b""
            while True:
                while b"\r\n\r\n" not in data:
                    try:
                        chunk = connection.recv(65536)
                    except OSError:
                        return
                    if not chunk:
                        return
                    data += chunk
                head, _, data = data.partition(b"\r\n\r\n")
                number = re.search(rb"(?im)^q-id: (\d+)", head)
                response = self.responses[int(number.group(1))] if number else "HTTP/1.1 500 Lost\r\ncontent-length: 0\r\n\r\n"
                response = response.replace("content-length: 0", f"content-length: {len(head)}").encode("latin-1")
                body = b"" if head.startswith(b"HEAD ") else head
                try:
                    connection.sendall(response + body)
                except OSError:
                    return


def receive_chunks(connection, data):
    """The body alone: how it is cut into chunks is chance."""
    body = b""
    while True:
        while not (line := re.match(rb"([0-9a-fA-F]+)\r\n", data)) or len(data) < line.end() + int(line[1], 16) + 2:
            chunk = connection.recv(65536)
            if not chunk:
                return body + b"(cut off)" + data
            data += chunk
        size = int(line[1], 16)
        if size == 0:
            return body
        body += data[line.end():line.end() + size]
        data = data[line.end() + size + 2:]


def receive(connection, is_head):
    """A whole response: its status line, its fields in order, its body."""
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = connection.recv(65536)
        if not chunk:
            return data.decode("latin-1"), [], ""
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    if re.search(rb"(?im)^transfer-encoding: *chunked", head) and not is_head:
        return lines[0], lines[1:], receive_chunks(connection, body).decode("latin-1")
    length = re.search(rb"(?im)^content-length: *(\d+)", head)
    while not is_head and length and len(body) < int(length.group(1)):
        chunk = connection.recv(65536)
        if not chunk:
            break
        body += chunk
    return lines[0], lines[1:], body.decode("latin-1")


def ask(proxy, number, request):
    line, _, rest = request.partition("\r\n")
    raw = f"{line}\r\n{NUMBER_FIELD}: {number}\r\n{rest}".encode("latin-1")
    with socket.create_connection(proxy.address, timeout=10) as connection:
        connection.sendall(raw)
        return receive(connection, request.startswith("HEAD "))


def refusal(binary, text):
    """Why the binary takes the configuration for wrong; "" when it does not."""
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(text.replace("@LISTENER@", "127.0.0.1:1"))
        file.flush()
        done = subprocess.run([binary, "-c", "-f", file.name], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return "" if done.returncode == 0 else f"refused: {done.stderr}"


def answers(binary, text, exchanges):
    """What the binary makes of each request, or why it does not serve."""
    if why := refusal(binary, text):
        return why
    proxy = harness.Proxy(binary, text)
    try:
        return [ask(proxy, number, request) for number, (request, _) in enumerate(exchanges)]
    except OSError as error:
        return f"{error}: {proxy.stop()}"
    finally:
        if proxy.process.returncode is None:
            proxy.stop()


def is_listed(theirs, ours):
    """Of man/guide/differences.md: the sum of two negative numbers, which haproxy 2.6 takes for the largest one."""
    return "9223372036854775807" in str(theirs) and "9223372036854775807" not in str(ours)


def compare(question, options, origin):
    """How many exchanges differ."""
    text = question["config"].replace("127.0.0.1:8080", "@LISTENER@").replace("127.0.0.1:8081", f"127.0.0.1:{origin.port}")
    exchanges = question["exchanges"]
    origin.responses = [response for _, response in exchanges]
    theirs = answers(options.haproxy, text, exchanges)
    ours = answers(options.hawser, text, exchanges)
    if isinstance(theirs, str) or isinstance(ours, str):
        print(f"--- seed {question['seed']}: not served\n{text}\nhaproxy: {theirs}\nhawser: {ours}\n")
        return 1
    differing = [number for number in range(len(exchanges))
                 if theirs[number] != ours[number] and not is_listed(theirs[number], ours[number])]
    for number in differing[:1]:
        print(f"--- seed {question['seed']}, exchange {number} ({len(differing)} differ)\n{text}\n{exchanges[number][0]}\n"
              f"{exchanges[number][1]}\nhaproxy: {theirs[number]}\nhawser:  {ours[number]}\n")
    return len(differing)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--generator", required=True)
    parser.add_argument("--haproxy", default="haproxy")
    parser.add_argument("--hawser", default="build/release/hawser")
    parser.add_argument("--configurations", type=int, default=25)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    asked = subprocess.run([options.generator, "--ask", str(options.configurations), "--seed", str(options.seed)],
                           capture_output=True, check=True, text=True)
    origin = Origin()
    compared = differences = 0
    for line in asked.stdout.splitlines():
        question = json.loads(line)
        differences += compare(question, options, origin)
        compared += len(question["exchanges"])
    print(f"seed {options.seed}: {compared} exchanges compared, {differences} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
