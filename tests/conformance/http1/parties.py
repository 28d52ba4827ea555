"""The two ends of a case: a server that answers with given bytes and notes what it gets, and a client that does the same.

Nothing here is tidy on purpose: what is sent is what the case says, and what is received is kept byte for byte, but for the cutting
of chunked bodies into chunks, which hangs on how bytes came in.
"""

import contextlib
import re
import socket
import threading
import time

DEFAULT_RESPONSE = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
PROBE = b"GET /probe HTTP/1.1\r\nhost: probe\r\n\r\n"
PROBE_RESPONSE = b"HTTP/1.1 200 Probed\r\ncontent-length: 6\r\n\r\nprobed"


def message_end(data, of_response, answers_head=False):
    """Where the first message in `data` ends; None: not in it; -1: when the connection ends."""
    blank = re.search(rb"\r?\n\r?\n", data)
    if blank is None:
        return None
    head, at = data[:blank.start()], blank.end()
    status = re.match(rb"HTTP/\d\.\d (\d{3})", head)
    if of_response and status and (status[1][:1] == b"1" or status[1] in (b"204", b"304") or answers_head):
        return at
    if re.search(rb"(?im)^transfer-encoding:.*chunked", head):
        end = re.compile(rb"\n0[ \t]*(?:;[^\n]*)?\r?\n(?:[^\r\n]+\r?\n)*\r?\n").search(data, at - 1)
        return end.end() if end else None
    length = re.search(rb"(?im)^content-length:[ \t]*(\d+)", head)
    if length:
        end = at + int(length[1])
        return end if len(data) >= end else None
    return -1 if of_response else at


def joined_chunks(data):
    """The same message with a chunked body as one run; what is no sound chunked message stays as it is."""
    head, blank, rest = data.partition(b"\r\n\r\n")
    if not re.search(rb"(?im)^transfer-encoding:.*chunked", head):
        return data
    body = b""
    while line := re.match(rb"([0-9a-fA-F]+)([^\r\n]*)\r\n", rest):
        size = int(line[1], 16)
        if size == 0:
            tail = rest[line.end():]
            return head + blank + b"<chunks " + body + b">\r\n" + (b"" if line[2] == b"" else line[2]) + tail
        if len(rest) < line.end() + size + 2:
            break
        body += rest[line.end():line.end() + size]
        rest = rest[line.end() + size + 2:]
    return head + blank + b"<chunks " + body + b"|" + rest


class Server:
    """Answers the case at hand; begin() names it."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.lock = threading.Lock()
        self.begin([], frozenset())
        threading.Thread(target=self.accept, daemon=True).start()

    def begin(self, responses, options):
        with self.lock:
            self.received = []  # one run of bytes for each connection
            self.responses = list(responses)
            self.options = options
            self.ended = 0      # how many connections we closed, and the proxy after us

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                with self.lock:
                    received = bytearray()
                    self.received.append(received)
                threading.Thread(target=self.serve, args=(connection, received, self.responses, self.options),
                                 daemon=True).start()

    def serve(self, connection, received, responses, options):
        pending = b""
        with contextlib.suppress(OSError), connection:
            if "speaks first" in options and responses:
                connection.sendall(responses.pop(0))
            while data := connection.recv(65536):
                received += data
                pending += data
                while self.is_answered(pending, options):
                    if "silent close" in options:
                        return
                    end = message_end(pending, False)
                    pending_head = pending[:5]
                    # What came early for another answer is not a request of its own.
                    pending = pending[end:] if end is not None else b""
                    is_probe = received.endswith(PROBE.replace(b"\r\n\r\n", b"")) or b"/probe" in received[-400:]
                    with self.lock:
                        response = responses.pop(0) if responses else (PROBE_RESPONSE if is_probe else DEFAULT_RESPONSE)
                    if re.match(rb"HEAD ", pending_head) and response is DEFAULT_RESPONSE:
                        response = response[:-2]
                    for part in response.split(b"\\pause"):
                        connection.sendall(part)
                        if part != response:
                            time.sleep(0.05)
                    if "close" in options and not responses:
                        connection.shutdown(socket.SHUT_WR)
                        while data := connection.recv(65536):
                            received += data
                        self.ended += 1
                        return

    @staticmethod
    def is_answered(pending, options):
        if not pending:
            return False
        if "early" in options:
            return b"\r\n\r\n" in pending
        return message_end(pending, False) is not None


class Client:
    """One connection to the proxy."""

    def __init__(self, address, quiet):
        self.connection = socket.create_connection(address, timeout=quiet)
        self.received = b""
        self.state = "open"

    def send(self, data):
        for part in data.split(b"\\pause"):
            with contextlib.suppress(OSError):
                self.connection.sendall(part)
            if part != data:
                time.sleep(0.05)

    def receive(self, is_enough):
        """Until enough is there, the connection ended, or nothing comes for a while."""
        while self.state == "open" and not is_enough(self.received):
            try:
                data = self.connection.recv(65536)
            except socket.timeout:
                return
            except OSError:
                data = b""
            if not data:
                self.state = "closed"
            self.received += data

    def half_close(self):
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)

    def close(self):
        self.connection.close()


def final_responses(data, heads):
    """How many final responses are whole in `data`; `heads` says which answer HEAD."""
    count = 0
    while data:
        answers_head = count < len(heads) and heads[count]
        end = message_end(data, True, answers_head)
        if end is None or end == -1:
            break
        interim = re.match(rb"HTTP/\d\.\d 1(?!01)", data)
        count += 0 if interim else 1
        data = data[end:]
    return count
