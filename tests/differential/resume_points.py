#!/usr/bin/env python3
"""Collects every configuration of the tests and drives their programs through every resume point (resume_points.cpp).

    tests/differential/resume_points.py RESUME_POINTS_BINARY

The configurations: examples/, tests/golden/alerts, the lines of tests/golden/expressions.txt (each in a file of its own, as
compare-expressions does), those within the .vtc scripts, tests/fuzz/corpus/config, and the generated one of samples.py.
What is known to be accepted must have a program: one that is refused is printed and fails the test. Of the others (lines
and corpora that hold mistakes on purpose) those that are refused are counted.
"""

import importlib.machinery
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import harness
import samples

TESTS = pathlib.Path(__file__).resolve().parent.parent
CONF = re.compile(r"^\s*haproxy\s+\w+[^{\n]*-conf(-OK)?\s*\{", re.M)
SHELL = re.compile(r"^shell\s*\{", re.M)


def block(text, start):
    """What stands between the brace that ends before `start` and its partner."""
    depth, at = 1, start
    while depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return text[start:at - 1]


def of_scripts(folder):
    """Name and text of each configuration in a .vtc script that is accepted, its macros replaced by plausible values."""
    def macro(match):
        name = match[1]
        if name == "tmpdir":
            return str(folder)
        if name == "testdir":
            return str(TESTS / "vtc")
        for end, value in (("_addr", "127.0.0.1"), ("_port", "1"), ("_sock", "127.0.0.1:1")):
            if name.endswith(end):
                return value
        return "99" if re.fullmatch(r"fe\d+|cli", name) else match[0]

    for path in sorted((TESTS / "vtc").glob("*.vtc")):
        text = re.sub(r"\$\{(\w+)\}", macro, path.read_text(errors="surrogateescape"))
        configurations = list(CONF.finditer(text))
        # The files that a script writes before it starts anything.
        for match in SHELL.finditer(text[:configurations[0].start() if configurations else 0]):
            subprocess.run(["sh", "-ec", block(text, match.end())], check=True)
        for number, match in enumerate(configurations):
            yield f"vtc_{path.stem}_{number}", block(text, match.end())


def of_expressions():
    loader = importlib.machinery.SourceFileLoader("compare", str(TESTS / "golden/compare-expressions"))
    compare = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", loader))
    loader.exec_module(compare)
    for number, (_, _, text) in enumerate(compare.configurations(open(TESTS / "golden/expressions.txt"))):
        yield f"expression_{number}", text


def write(folder, name, text):
    path = folder / f"{name}.cfg"
    path.write_text(text, errors="surrogateescape")
    return path.name


def collect(folder):
    """Writes all of them. Gives the names of those that must compile, and of those that may be refused."""
    for path in (TESTS / "golden/alerts").iterdir():
        shutil.copy(path, folder)
    required, others = [], []
    for path in sorted((TESTS / "golden/alerts").glob("*.cfg")):
        refused = path.with_suffix(".alerts").read_text().endswith("=> refused\n")
        (others if refused else required).append(path.name)
    for path in sorted((TESTS.parent / "examples").glob("*.cfg")):
        required.append(write(folder, f"example_{path.stem}", path.read_text()))
    required += [write(folder, name, text) for name, text in of_scripts(folder)]
    required.append(write(folder, "samples", harness.configuration(samples.EXPRESSIONS, samples.CONDITIONS, ":1")))
    others += [write(folder, name, text) for name, text in of_expressions()]
    for path in sorted((TESTS / "fuzz/corpus/config").iterdir()):
        others.append(write(folder, f"corpus_{path.name}", path.read_text(errors="surrogateescape")))
    return required, others


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        required, others = collect(folder)
        done = subprocess.run([binary, *required, *others], cwd=folder, capture_output=True, text=True, errors="replace")
    print(re.sub(r"^refused: .*\n", "", done.stdout, flags=re.M) + done.stderr, end="")
    skipped = sorted(set(re.findall(r"^refused: (\S+)$", done.stdout, re.M)) & set(required))
    print(f"{len(required)} configurations that must compile, {len(skipped)} of them skipped: {' '.join(skipped) or 'none'}")
    return 1 if done.returncode or skipped or not required else 0


if __name__ == "__main__":
    sys.exit(main())
