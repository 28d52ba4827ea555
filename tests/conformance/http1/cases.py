"""Reads the cases: blocks of lines in *.cases.

    case NAME
    # a comment
    = CONFIG       a line of the proxy's section
    ! OPTION …     close: the server closes behind its last response;  early: it answers as soon as it has a head;
                   silent close: it closes instead of an answer;  half-close: the client ends its side behind its last byte;
                   no probe: the client does not ask for more behind the answers
    > LINE         the client sends the line and a line end;   >|BYTES   no line end
    >>             … but what follows only when it has as many answers as requests before it
    < LINE, <|BYTES   the server's answer, likewise;  <<  the next answer begins
    ? THEIRS; OURS; REASON     a known difference: status and state of the client's connection with haproxy, and with hawser

Escapes: \\r \\n \\t \\0 \\\\ \\xHH, \\p (a pause), \\{N:TEXT} (N times TEXT).
"""

import dataclasses
import pathlib
import re

ESCAPES = {"r": b"\r", "n": b"\n", "t": b"\t", "0": b"\0", "\\": b"\\", "p": b"\\pause"}


def unescape(text):
    out = b""
    at = 0
    for found in re.finditer(r"\\(?:x([0-9a-fA-F]{2})|\{(\d+):([^}]*)\}|(.))", text):
        out += text[at:found.start()].encode("latin-1")
        at = found.end()
        if found[1]:
            out += bytes([int(found[1], 16)])
        elif found[2]:
            out += int(found[2]) * unescape(found[3])
        else:
            out += ESCAPES[found[4]]
    return out + text[at:].encode("latin-1")


@dataclasses.dataclass
class Case:
    name: str
    place: str
    config: tuple = ()
    options: frozenset = frozenset()
    requests: list = dataclasses.field(default_factory=lambda: [b""])
    responses: list = dataclasses.field(default_factory=list)
    known: tuple = ()  # theirs, ours, reason


def read_line(case, line):
    mark, rest = line[:1], line[1:]
    data = b""
    if mark in "<>":
        data = unescape(rest[1:]) + (b"" if rest.startswith("|") else b"\r\n")
    if line == ">>":
        case.requests.append(b"")
    elif mark == ">":
        case.requests[-1] += data
    elif line == "<<":
        case.responses.append(b"")
    elif mark == "<":
        if not case.responses:
            case.responses.append(b"")
        case.responses[-1] += data
    elif mark == "=":
        case.config += (rest.strip(),)
    elif mark == "!":
        case.options |= {rest.strip()}
    elif mark == "?":
        case.known = tuple(part.strip() for part in rest.split(";", 2))
    else:
        raise ValueError(f"{case.place}: {line!r} is no line of a case")


def read(path):
    cases = []
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("case "):
            cases.append(Case(line[5:].strip(), f"{pathlib.Path(path).name}:{number}"))
        else:
            read_line(cases[-1], line)
    return cases
