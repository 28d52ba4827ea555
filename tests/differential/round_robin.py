#!/usr/bin/env python3
"""Compares the order in which programs choose servers of unequal weights (balance roundrobin, nbthread 1).

    tests/differential/round_robin.py [--haproxy haproxy] [--hawser build/release/hawser]

One process of each serves a section for every list of weights; origins answer with their letter.
"""

import argparse
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import time

LAPS = 3
GIVEN = [[1], [1, 1], [1, 2], [1, 2, 3], [5, 1, 1], [4, 2, 1], [5, 3], [5, 5, 2], [7, 5, 3, 1], [10, 3, 7], [9, 2, 2, 1],
         [256, 1], [2, 0, 3], [10, 10, 8], [100, 50, 20, 1]]


def lists():
    chance = random.Random(2)
    made = [[chance.randint(1, 12) for _ in range(chance.randint(2, 8))] for _ in range(40)]
    return GIVEN + made + [[chance.randint(1, 256) for _ in range(chance.randint(2, 5))] for _ in range(10)]


def configuration(folder, weights):
    text = "global\n nbthread 1\ndefaults\n mode http\n timeout client 20s\n timeout server 20s\n timeout connect 20s\n"
    for at in range(max(map(len, weights))):
        text += f"frontend o{at}\n bind unix@{folder}/o{at}\n"
        text += f" http-request return status 200 content-type text/plain string {chr(65 + at)}\n"
    for number, row in enumerate(weights):
        text += f"listen l{number}\n bind unix@{folder}/l{number}\n balance roundrobin\n"
        text += "".join(f" server s{at} unix@{folder}/o{at} weight {weight}\n" for at, weight in enumerate(row))
    return text


def connect(path, process):
    """The socket of a program that may still be starting: it is there before the program says that it listens."""
    until = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < until:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(20)
        if connection.connect_ex(path) == 0:
            return connection
        connection.close()
    raise SystemExit(f"{process.args[0]} does not serve {path}")


def sequence(connection, count):
    connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" * count)
    answers = connection.makefile("rb")
    letters = ""
    for _ in range(count):
        while answers.readline() not in (b"\r\n", b""):
            pass
        letters += answers.read(1).decode()
    return letters


def measure(binary, weights):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "cfg")
        path.write_text(configuration(folder, weights))
        process = subprocess.Popen([binary, "-db", "-f", path], stderr=subprocess.DEVNULL)
        try:
            found = []
            for number, row in enumerate(weights):
                with connect(f"{folder}/l{number}", process) as connection:
                    found.append(sequence(connection, LAPS * sum(row)))
            return found
        finally:
            process.terminate()
            process.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--haproxy", default="haproxy")
    parser.add_argument("--hawser", default="build/release/hawser")
    options = parser.parse_args()
    weights = lists()
    different = 0
    for row, theirs, ours in zip(weights, measure(options.haproxy, weights), measure(options.hawser, weights)):
        if theirs != ours or len(theirs) != LAPS * sum(row):
            different += 1
            print(f"weights {row}\n  haproxy: {theirs[:120]}\n  hawser:  {ours[:120]}")
    print(f"{len(weights)} lists of weights, {different} differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
