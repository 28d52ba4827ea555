"""The loader beside the process that serves, and native code: made, swapped in under traffic, or done without.

Stand-ins for hawser-jitc are shell scripts; hawser-jitc itself is asked where it was built (its path is the third word)."""
import json
import os
import re
import select
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time
import uuid

from compare import PROGRAMS, check, finish

JITC = sys.argv[3] if len(sys.argv) > 3 and not sys.argv[3].startswith("--") else ""
MEASURES = "--no-memory" not in sys.argv

RULES = """\
 acl local src 127.0.0.0/8
 acl dotted path_end .html .css .png
 http-request set-var(txn.who) req.hdr(x-who),lower
 http-request set-header x-seen %[var(txn.who)]-%[method] if { path_beg /api } or !local
 http-request deny deny_status 403 if { path /forbidden } { hdr(x-who) -i mallory }
 http-request redirect location /new%[path] code 302 if { path_beg /old }
 http-request return status 404 if { path -m reg ^/x[0-9]+$ }
 http-request return status 200 content-type text/plain lf-string "%[path],%[var(txn.who)]" if dotted
 use_backend %[path,field(2,/)] if { path_sub -i /TO/ }
 http-request return status 200 hdr x-a %[query] unless { path_sub -i /TO/ }
"""


def script(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)
    return path


class Instance:
    """hawser with some rules; `with` it."""

    def __init__(self, directory, words=("-db",), jitc="/nosuch/hawser-jitc", extra=""):
        self.mark = uuid.uuid4().hex
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.commands = os.path.join(directory, self.mark[:8])
        configuration = os.path.join(directory, self.mark + ".cfg")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(f"global\n nbthread 2\n stats socket {self.commands} level admin\n {extra}\n"
                       "defaults\n mode http\n timeout client 20s\n timeout server 3s\n timeout connect 3s\n"
                       f"frontend fe\n bind fd@{self.listener.fileno()}\n{RULES}"
                       "backend to\n http-request return status 202\n")
        environment = {**os.environ, "HAWSER_JITC": jitc, "HAWSER_TEST_MARK": self.mark}
        environment.pop("HAWSER_JIT", None)
        self.process = subprocess.Popen([PROGRAMS["hawser"], *words, "-f", configuration], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                                        pass_fds=[self.listener.fileno()])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.pids():
            os.kill(pid, signal.SIGKILL)
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.listener.close()

    def pids(self):
        """Those of all of its processes."""
        found = []
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    if name.isdigit() and f"HAWSER_TEST_MARK={self.mark}".encode() in file.read():
                        found.append(int(name))
            except OSError:
                pass
        return found

    def loader(self):
        """Its loader's number, once it has settled: it is called so as the last thing."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            for pid in self.pids():
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if file.read().rstrip(b"\0") == b"hawser: loader":
                        return pid
        raise AssertionError("there is no loader")

    def ask(self, path="/", client=None):
        """The answer's status and body; over a connection that stays open if one is given."""
        own = client is None
        client = client or socket.create_connection(self.listener.getsockname(), timeout=20)
        client.sendall(f"GET {path} HTTP/1.1\r\nhost: a\r\nx-who: Alice\r\n\r\n".encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            part = client.recv(65536)
            if not part:
                return "", ""
            answer += part
        head, body = answer.split(b"\r\n\r\n", 1)
        length = re.search(rb"content-length: (\d+)", head.lower())
        while length and len(body) < int(length.group(1)):
            body += client.recv(65536)
        if own:
            client.close()
        return head.split(b" ")[1].decode(), body.decode()

    def command(self, text):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(self.commands)
            client.sendall(text.encode() + b"\n")
            return client.makefile().read()

    def info(self):
        return dict(line.split(": ", 1) for line in self.command("show info").splitlines() if ": " in line)

    def stderr_until(self, word):
        """Its lines on stderr up to the one that has `word`, or to its end."""
        lines = []
        for line in self.process.stderr:
            lines.append(line)
            if word in line:
                break
        return lines


def ended(pid_file):
    return bool(select.select([pid_file], [], [], 20)[0])


def loader_lives_and_ends(directory):
    with Instance(directory) as instance:
        instance.ask()
        loader = instance.loader()
        with open(f"/proc/{loader}/comm", encoding="utf-8") as file:
            check("its name says so, too", file.read() == "hawser-loader\n")
        held = [os.readlink(f"/proc/{loader}/fd/{name}") for name in os.listdir(f"/proc/{loader}/fd")]
        odd = [name for name in held if name not in ("/dev/null", "anon_inode:[signalfd]")]
        check("it holds one socket, and no pipe and no listener",
              len(odd) == 1 and odd[0].startswith("socket:"), held)
        if MEASURES:
            with open(f"/proc/{loader}/smaps_rollup", encoding="utf-8") as file:
                private = sum(int(line.split()[1]) for line in file if line.startswith("Private_"))
            print(f"loader: {private} kB private")
            check("it costs at most 0.5 MB", private <= 512, f"{private} kB")
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGTSTP):
            os.kill(loader, number)
        with open(f"/proc/{loader}/stat", encoding="utf-8") as file:
            check("what a terminal sends does not end it", file.read().split(") ")[1][0] in "SR")
        pid_file = os.pidfd_open(loader)
        instance.process.kill()
        check("it ends when the process is killed", ended(pid_file))
        os.close(pid_file)
        out, error = instance.process.communicate(timeout=20)
        check("one notice said that rules are interpreted", out == "" and error.count("interpreted") == 1, error)
    for number in (signal.SIGTERM, signal.SIGUSR1):
        with Instance(directory) as instance:
            instance.ask()
            pid_file = os.pidfd_open(instance.loader())
            instance.process.send_signal(number)
            check(f"it ends after signal {number}", ended(pid_file))
            os.close(pid_file)
    with Instance(directory) as instance:
        instance.ask()
        os.kill(instance.loader(), signal.SIGKILL)
        instance.process.stderr.readline()
        check("without it the service goes on", instance.ask()[0] == "200")


def loader_of_a_daemon(directory):
    pidfile = os.path.join(directory, "pid")
    log = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    log.bind(("127.0.0.1", 0))
    log.settimeout(20)
    where = f"log 127.0.0.1:{log.getsockname()[1]} local0"
    with log, Instance(directory, ["-D", "-p", pidfile], extra=where) as instance:
        instance.process.communicate(timeout=20)  # ends only when nobody holds the pipes
        lines = []
        while not lines or "interpreted" not in lines[-1]:
            lines.append(log.recv(2000).decode())
        check("its log says why there is no native code", lines[-1].startswith("<133>") and "cannot be run" in lines[-1], lines)
        check("the daemon answers", instance.ask()[0] == "200")
        loader = instance.loader()
        with open(pidfile, encoding="utf-8") as file:
            pid = int(file.read())
        check("two processes are there, the daemon and its loader", sorted(instance.pids()) == sorted([pid, loader]))
        check("the loader is in its session, not in the terminal's", os.getsid(loader) == pid)
        pid_file = os.pidfd_open(loader)
        os.kill(pid, signal.SIGKILL)
        check("it ends with the daemon", ended(pid_file))
        os.close(pid_file)


def without_code(directory):
    """Whatever becomes of hawser-jitc: one notice, or a refusal where native code is asked for."""
    ways = {
        "missing": ("/nosuch/hawser-jitc", "hawser-jitc cannot be run: /nosuch/hawser-jitc: No such file or directory"),
        "failing": (script(directory, "failing", "echo hawser-jitc: no memory >&2; exit 1\n"),
                    "hawser-jitc failed: no memory"),
        "crashing": (script(directory, "crashing", "kill -SEGV $$\n"), "stopped unexpectedly (Segmentation fault)"),
        "too slow": (script(directory, "slow", "while :; do :; done\n"), "more than 1 s (tune.jit.max-cpu)"),
        "writing rubbish": (script(directory, "rubbish", "printf rubbish >&4\n"), "native code"),
        "writing the program back": (script(directory, "echoing", "cat <&3 >&4\n"), "native code"),
        "writing nothing": (script(directory, "nothing", "exit 0\n"), "hawser-jitc gave no code"),
    }
    for name, (jitc, why) in ways.items():
        with Instance(directory, jitc=jitc, extra="tune.jit.max-cpu 1") as instance:
            lines = instance.stderr_until("interpreted")
            check(f"{name}: a notice says why", re.match(r"\[NOTICE\] +\(\d+\) : ", lines[-1]) and why in lines[-1], lines)
            check(f"{name}: the service goes on", instance.ask("/a.html") == ("200", "/a.html,alice"))
            info = instance.info()
            while info["ExchangesInterpreted"] == "0":  # counted once it has ended, behind its answer
                info = instance.info()
            check(f"{name}: show info counts it", info["JitFailed"] == info["JitFunctions"] != "0" and
                  (info["JitNative"], info["JitPending"], info["ExchangesNative"]) == ("0", "0", "0") and
                  int(info["ExchangesInterpreted"]) > 0, info)
        with Instance(directory, ["-db", "--jit=on"], jitc, "tune.jit.max-cpu 1") as instance:
            _, error = instance.process.communicate(timeout=30)
            check(f"{name}: --jit=on refuses to start", instance.process.returncode == 1 and "[ALERT]" in error and
                  "--jit=on" in error and why in error, error)
    with Instance(directory, ["-db", "--jit=off"]) as instance:
        instance.ask()
        check("off: show info says so", instance.info()["JitMode"] == "off")
        instance.process.terminate()
        check("off: nothing is said", "native" not in instance.process.communicate(timeout=20)[1])


PATHS = {"/": "200", "/a.html": "200", "/old/1": "302", "/x12": "404", "/a/to/b": "503", "/to/to/x": "202",
         "/forbidden": "200", "/api": "200"}


def always(directory):
    with Instance(directory, ["-db", "--jit=on"], JITC) as instance:
        for path, status in PATHS.items():
            check(f"native: {path}", instance.ask(path)[0] == status)
        check("native: what a rule computes", instance.ask("/a.html")[1] == "/a.html,alice")
        info = instance.info()
        while int(info["ExchangesNative"]) + int(info["ExchangesInterpreted"]) < len(PATHS) + 1:
            info = instance.info()
        check("on: every function is native", int(info["JitFunctions"]) > 0 and info["JitNative"] == info["JitFunctions"]
              and (info["JitPending"], info["JitFailed"], info["JitMode"]) == ("0", "0", "on"), info)
        check("on: every exchange is", info["ExchangesInterpreted"] == "0" and
              int(info["ExchangesNative"]) == len(PATHS) + 1, info)
        typed = instance.command("show info typed")
        check("typed: the lines of ours come last", re.search(r"^\d+\.ExchangesInterpreted\.1:MCP:u64:0\n", typed, re.M), typed)
        fields = {row["field"]["name"]: row["value"]["value"] for row in json.loads(instance.command("show info json"))}
        check("json: they are there", fields["JitNative"] == int(info["JitNative"]), fields)
        if MEASURES:
            with open(f"/proc/{instance.process.pid}/status", encoding="utf-8") as file:
                resident = int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))
            print(f"resident with native code: {resident} kB; made in {info['JitCompileMs']} ms and {info['JitPeakKB']} kB")
            check("on: what compiling took was told", int(info["JitPeakKB"]) > 0 and info["JitReused"] == "0", info)
            check("on: at most 12 MB are resident", resident <= 12 * 1024, f"{resident} kB")
        with open(f"/proc/{instance.process.pid}/maps", encoding="utf-8") as file:
            modes = [line.split()[1] for line in file if "hawser-code" in line]
        check("its code is executable, and never writable", "r-xp" in modes or "r-xs" in modes, modes)
        check("nothing is both", not any("w" in mode for mode in modes), modes)


def swapped(directory):
    """auto: interpreted until the code is there, native from the next entry on; no request notices."""
    gate = os.path.join(directory, "gate")
    os.mkfifo(gate)
    slow = script(directory, "gated", f'read go <"{gate}"\nexec "{JITC}" "$@"\n')
    with Instance(directory, jitc=slow) as instance:
        wrong, served, stop = [], [0], threading.Event()

        def traffic():
            with socket.create_connection(instance.listener.getsockname(), timeout=20) as client:
                while not stop.is_set():
                    for path, status in PATHS.items():
                        got = instance.ask(path, client)
                        served[0] += 1
                        if got[0] != status:
                            wrong.append((path, got))
                            return

        instance.ask()
        before = instance.info()
        check("auto: before, rules are interpreted", int(before["JitPending"]) > 0 and before["ExchangesNative"] == "0", before)
        threads = [threading.Thread(target=traffic) for _ in range(8)]
        for thread in threads:
            thread.start()
        with open(gate, "w", encoding="utf-8") as file:
            file.write("go\n")
        info = before
        while info["JitPending"] != "0":
            info = instance.info()
        check("auto: code came", info["JitNative"] == info["JitFunctions"], info)
        seen = served[0]
        while served[0] < seen + 1000 and not wrong:
            info = instance.info()
        stop.set()
        for thread in threads:
            thread.join()
        check("auto: no request failed", not wrong, wrong)
        after = instance.info()
        settled = instance.info()["ExchangesInterpreted"]
        instance.ask()
        last = instance.info()
        check("auto: after, rules are native", int(last["ExchangesNative"]) > int(after["ExchangesNative"]) > 0 and
              last["ExchangesInterpreted"] == settled, last)


def confined(directory):
    """Native code in a process that has given up root and the file system."""
    if os.geteuid() != 0:
        print("not root: giving up root is not tested")
        return
    root = os.path.join(directory, "root")
    os.makedirs(root)
    for mode in ("on", "auto"):
        with Instance(directory, ["-db", f"--jit={mode}"], JITC, f"chroot {root}\n uid 65534\n gid 65533") as instance:
            check(f"{mode}: it answers from within a chroot", instance.ask()[0] == "200")
            info = instance.info()
            while info["JitPending"] != "0":
                info = instance.info()
            check(f"{mode}: natively", info["JitNative"] == info["JitFunctions"], info)


def shown(directory):
    """--dump=llvm|asm: hawser-jitc answers; without it, a message says so."""
    path = os.path.join(directory, "shown.cfg")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"defaults\n mode http\nfrontend fe\n bind abns@shown\n{RULES}backend to\n")

    def show(form, jitc):
        return subprocess.run([PROGRAMS["hawser"], f"--dump={form}", "-f", path], capture_output=True, text=True,
                              env={**os.environ, "HAWSER_JITC": jitc}, timeout=60)

    for form in ("llvm", "asm"):
        without = show(form, "/nosuch/hawser-jitc")
        check(f"--dump={form} without hawser-jitc says what is missing", without.returncode == 1 and not without.stdout and
              "cannot be run: /nosuch/hawser-jitc" in without.stderr, without.stderr)
        if JITC:
            text = show(form, JITC)
            check(f"--dump={form} names the functions", text.returncode == 0 and "proxy0.http_request" in text.stdout, text.stderr)


def reloaded(directory):
    """Of a program in which one rule changed, only that rule's function is compiled; of an equal one, none."""
    kept = os.path.join(directory, "program")
    keeper = script(directory, "keeper", f'cat <&3 >"{kept}"\nexit 1\n')

    def program_of(second_frontend):
        path = os.path.join(directory, "reloaded.cfg")
        frontends = ("http-request deny if { path_beg /a }", second_frontend,
                     "http-request redirect location /x if { hdr(host) -i c }", "http-request set-header x %[src]")
        with open(path, "w", encoding="utf-8") as file:
            file.write("defaults\n mode http\n timeout client 3s\n")
            for number, rules in enumerate(frontends):
                file.write(f"frontend fe{number}\n bind abns@{uuid.uuid4().hex}\n {rules}\n")
        environment = {**os.environ, "HAWSER_JITC": keeper, "HAWSER_JIT": "auto"}
        with subprocess.Popen([PROGRAMS["hawser"], "-db", "-f", path], stderr=subprocess.PIPE, text=True,
                              env=environment) as process:
            while "interpreted" not in process.stderr.readline():
                pass
            process.kill()
        with open(kept, "rb") as file:
            return file.read()

    def compile_program(program, earlier):
        """The code, and how many functions were compiled and are there."""
        files = [os.memfd_create(name) for name in ("program", "code", "earlier")]
        os.write(files[0], program)
        os.write(files[2], earlier)
        subprocess.run([JITC, "--program", str(files[0]), "--code", str(files[1]), "--earlier", str(files[2])],
                       pass_fds=files, check=True, timeout=60)
        code = os.pread(files[1], 1 << 24, 0)
        for file in files:
            os.close(file)
        return code, struct.unpack_from("<I", code, 52)[0], struct.unpack_from("<I", code, 40)[0]

    before, compiled, functions = compile_program(program_of("http-request deny if { hdr(a) b }"), b"")
    check("at first every function is compiled", compiled == functions >= 4, (compiled, functions))
    # One more set, so that the numbers of those behind it change.
    changed = program_of("http-request deny if { hdr(a) b } || { path_end /c }")
    _, compiled, functions = compile_program(changed, before)
    check("then one of them, and the others are reused", compiled == 1 and functions >= 4, (compiled, functions))
    _, compiled, _ = compile_program(changed, compile_program(changed, b"")[0])
    check("and none of an equal program", compiled == 0, compiled)


def main():
    with tempfile.TemporaryDirectory() as directory:
        loader_lives_and_ends(directory)
        loader_of_a_daemon(directory)
        without_code(directory)
        shown(directory)
        if JITC:
            always(directory)
            swapped(directory)
            confined(directory)
            reloaded(directory)
        else:
            print("no hawser-jitc: native code is not tested")
    finish()


main()
