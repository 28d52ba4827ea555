"""hawser and haproxy end with the same status, and say the same, for the same command lines."""
import json
import os
import tempfile

from compare import check, finish, run, same

DEFAULTS = "defaults\n mode http\n timeout client 3s\n timeout server 3s\n timeout connect 3s\n"
FRONTEND = "frontend fe\n bind abns@hawser-test-unused\n http-request return status 200\n"
FILES = {
    "ok.cfg": DEFAULTS + FRONTEND,
    "warning.cfg": "frontend fe\n bind abns@hawser-test-unused\n mode http\n",
    "no_listener.cfg": "defaults\n mode http\nbackend x\n",
    "no_bind.cfg": DEFAULTS + "frontend x\n",
    "bad.cfg": "frontend fe\n foo\n",
    "nested/bad1.cfg": "frontend f1\n foo\n",
    "nested/bad2.cfg": "frontend f2\n foo\n",
    "nested/.hidden.cfg": "junk\n",
    "nested/notes.txt": "junk\n",
    "stats_only.cfg": "global\n stats socket abns@hawser-test-stats\n",
    "disabled.cfg": DEFAULTS + FRONTEND + " disabled\n",
    "unresolved.cfg": DEFAULTS + FRONTEND + "backend b\n server s1 nosuch.invalid:80\n server s2 localhost:80\n",
    "inherited.cfg": DEFAULTS + "frontend fe\n bind fd@99\n",
    "chroot.cfg": "global\n chroot /nosuch/root\n" + DEFAULTS + FRONTEND,
    "path.cfg": DEFAULTS + "frontend fe\n bind /nosuch/socket\n",
    "address.cfg": DEFAULTS + "listen li\n bind 203.0.113.7:80\n bind 203.0.113.7:81\n",
    "unsupported.cfg": DEFAULTS + FRONTEND + " stats enable\n",
    "ulimit.cfg": "global\n ulimit-n 1000\n fd-hard-limit 500\n nbthread 2\n" + DEFAULTS + FRONTEND,
    "hard_limit.cfg": "global\n fd-hard-limit 100\n maxconn 1000\n nbthread 2\n" + DEFAULTS + FRONTEND,
    "maxconn.cfg": "global\n maxconn 1000000\n nbthread 1\n" + DEFAULTS + FRONTEND,
}

STATUS_ONLY = ()  # where the texts are ours

CASES = [
    # name, words, what is compared beside the status
    ("nothing", [], STATUS_ONLY),
    ("-c alone", ["-c"], STATUS_ONLY),
    ("an unknown option", ["-c", "-f", "ok.cfg", "-z"], STATUS_ONLY),
    ("a word that is no option", ["-c", "-f", "ok.cfg", "ok.cfg"], STATUS_ONLY),
    ("-f without a value", ["-f"], STATUS_ONLY),
    ("-f with a glued value", ["-c", "-fok.cfg"], STATUS_ONLY),
    ("-n without a value", ["-c", "-f", "ok.cfg", "-n"], STATUS_ONLY),
    ("a directory without files", ["-c", "-f", "empty"], STATUS_ONLY),
    ("-v", ["-v"], STATUS_ONLY),
    ("-vv", ["-vv"], STATUS_ONLY),
    ("-v behind others", ["-c", "-f", "ok.cfg", "-v", "-z"], STATUS_ONLY),
    ("an unknown memory option", ["-dMfoo", "-c", "-f", "ok.cfg"], ("stdout", "stderr")),
]
CASES += [
    (" ".join(words), words, ("stdout", "stderr"))
    for words in (
        "-c -f ok.cfg|-check -f ok.cfg|-c -V -f ok.cfg|-c -q -f ok.cfg|-c -- ok.cfg|-c -f ok.cfg --|-D -c -f ok.cfg"
        "|-c -f ok.cfg -n abc|-c -f ok.cfg -n 0|-c -f ok.cfg -N -5|-dM -c -f ok.cfg|-dI -c -f ok.cfg|-dG -dk -dS -c -f ok.cfg"
        "|-dr -c -f ok.cfg|-c -sf -f ok.cfg|-c -f ok.cfg -sf abc|-c -f ok.cfg -sf 1x|-c -f ok.cfg -st 1 2 3|-c -f ok.cfg -x /nosuch|-C nested -c -f bad1.cfg|-C nosuch -c -f ok.cfg"
        "|-c -f warning.cfg|-c -q -f warning.cfg|-c -dW -f warning.cfg|-dW -f warning.cfg"
        "|-c -f no_listener.cfg|-c -q -f no_listener.cfg|-f no_listener.cfg|-c -f no_bind.cfg|-c -dW -f no_bind.cfg"
        "|-c -f /dev/null|-c -f bad.cfg|-f bad.cfg|-q -c -f bad.cfg|-D -f bad.cfg|-c -f nested|-c -f nested -f ok.cfg"
        "|-c -f missing.cfg|-c -f ok.cfg -f missing.cfg|-c -f -|-c -f stats_only.cfg|-c -f disabled.cfg|-f disabled.cfg"
        "|-c -f unresolved.cfg|-c -dr -f unresolved.cfg|-c -dr -dW -f unresolved.cfg|-c -f inherited.cfg"
        "|-db -f chroot.cfg|-db -f path.cfg|-db -f ulimit.cfg|-db -f hard_limit.cfg|-db -f address.cfg|-D -f address.cfg|-c -f maxconn.cfg"
        "|-D -p /nosuch/pid -f ok.cfg"
        "|-cc streq(a,a)|-cc streq(a,b)|-cc foo("
    ).split("|")
    for words in [words.split(" ")]
]
with open("/proc/sys/fs/nr_open", encoding="utf-8") as nr_open:
    if int(nr_open.read()) < 2_000_000:  # else both might well start
        CASES.append(("too few descriptors", ["-db", "-f", "maxconn.cfg"], ("stdout", "stderr")))
CASES.append(("-cc with nothing", ["-cc", ""], ("stdout", "stderr")))


def main():
    with tempfile.TemporaryDirectory() as directory:
        os.makedirs(os.path.join(directory, "nested"))
        os.makedirs(os.path.join(directory, "empty"))
        for name, text in FILES.items():
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)
        for name, words, streams in CASES:
            same(name, words, streams, cwd=directory)
        # haproxy's parent says 0 here: it has gone before its child fails. Ours waits for it.
        check("a failing daemon is told to who started it",
              run("hawser", ["-D", "-f", "chroot.cfg"], cwd=directory).returncode == 1)
        refused = run("hawser", ["-c", "-f", "unsupported.cfg"], cwd=directory)
        check("what is not supported is refused by name",
              refused.returncode == 1 and "[unsupported.cfg:9] : 'stats enable' is not supported by hawser yet" in refused.stderr,
              refused.stderr)
        warned = run("hawser", ["-c", "--unsupported=warn", "-f", "unsupported.cfg"], cwd=directory)
        check("--unsupported=warn leaves it out",
              warned.returncode == 0 and "[WARNING]" in warned.stderr and "and is left out" in warned.stderr, warned.stderr)
        listed = run("hawser", ["help", "--unsupported"]).stdout
        check("help --unsupported lists it", "proxy stats enable\n" in listed)
        objects = run("hawser", ["--diagnostics=json", "-c", "-f", "bad.cfg"], cwd=directory).stderr.splitlines()
        check("--diagnostics=json gives an object a line", json.loads(objects[0])["at"]["line"] == 2, objects)
        for stage in ("words", "ast", "model", "plan", "program"):
            shown = run("hawser", [f"--dump={stage}", "-f", "ok.cfg"], cwd=directory)
            check(f"--dump={stage} shows something", shown.returncode == 0 and shown.stdout, shown.stderr)
        version = run("hawser", ["-vv"]).stdout
        check("-vv names Hawser first", version.startswith("Hawser version "))
        for line in ("\nHAProxy version 3.", "\n  TARGET  = linux-glibc\n", "\nFeature list : ", "HAProxy compatibility",
                     "\nRunning on SSL library version : ", "\nAvailable services : "):
            check(f"-vv has {line.strip()!r}", line in version)
    finish()


main()
