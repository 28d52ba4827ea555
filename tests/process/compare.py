"""Runs a command in both programs and makes their outputs comparable."""
import re
import subprocess
import sys

PROGRAMS = {"hawser": sys.argv[1], "haproxy": sys.argv[2]}
failures = []


def normalise(text, program):
    """Without what must differ: numbers, names, the two notices, our source lines with carets."""
    text = text.replace(PROGRAMS[program], "PROGRAM")
    kept = []
    for line in text.split("\n"):
        if line.startswith("[NOTICE]"):
            continue
        if re.match(r"^ *\d* \| |^      [=>] ", line) and not line.startswith("   | "):
            continue
        kept.append(re.sub(r"^(\[\w+\] +)\(\d+\)", r"\1(PID)", line))
    return "\n".join(kept).strip("\n")


def run(program, words, **options):
    return subprocess.run([PROGRAMS[program], *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=30, **options)


def check(name, holds, detail=""):
    if not holds:
        failures.append(name)
        print(f"FAILED: {name}\n{detail}")


def same(name, words, streams=("stdout", "stderr"), **options):
    """Both end with the same status and say the same on `streams`."""
    ends = {program: run(program, words, **options) for program in PROGRAMS}
    said = {
        program: [normalise(getattr(end, stream), program) for stream in streams] + [end.returncode]
        for program, end in ends.items()
    }
    check(name, said["hawser"] == said["haproxy"],
          "\n".join(f"  {program}: {said[program]}" for program in PROGRAMS))


def finish():
    print(f"{len(failures)} failed" if failures else "all as haproxy")
    sys.exit(1 if failures else 0)
