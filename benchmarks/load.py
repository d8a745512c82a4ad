"""Many users at once, and many requests in a row: errors, how long an answer takes, and whether memory grows.

    python benchmarks/load.py                     # 20 users for 30 s, then 10,000 requests
    python benchmarks/load.py --seconds 5 --requests 500

The server is started on a free port of this machine, and nothing else is asked.
"""

import argparse
import http.client
import itertools
import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit

QUESTIONS = (
    {"op": "add", "learner": "columns", "a": "1234567", "b": "2345678"},
    {"op": "add", "learner": "perceptron", "a": "4999999", "b": "1"},
    {"op": "add", "learner": "perceptron-noise", "a": "31415", "b": "92653", "noise": "0.3"},
    {"op": "subtract", "learner": "columns", "a": "9999999", "b": "1234567"},
    {"op": "multiply", "learner": "columns", "a": "1234", "b": "2345"},
    {"op": "multiply", "learner": "constructed", "a": "3160", "b": "3160"},
    {"op": "roman", "learner": "tally", "a": "MDCLXVI", "b": "CCCXXXIII"},
)


class User:
    """Someone who asks one question after another, over one connection."""

    def __init__(self, address: str) -> None:
        where = urlsplit(address)
        assert where.hostname == "127.0.0.1"
        self.connection = http.client.HTTPConnection(where.hostname, where.port, timeout=30)
        self.times: list[float] = []
        self.errors = 0

    def ask(self, question: dict[str, str]) -> None:
        started = time.perf_counter()
        try:
            self.connection.request("GET", f"/api/calculate?{urlencode(question)}")
            response = self.connection.getresponse()
            said = json.loads(response.read())
            self.errors += response.status != 200 or "answer" not in said
        except (OSError, ValueError, http.client.HTTPException):
            self.errors += 1
            self.connection.close()
        self.times.append(time.perf_counter() - started)


def together(address: str, users: int, seconds: float) -> None:
    """So many users, each as fast as answers come."""
    everyone = [User(address) for _ in range(users)]
    until = time.perf_counter() + seconds

    def work(user: User, first: int) -> None:
        for question in itertools.cycle(QUESTIONS[first:] + QUESTIONS[:first]):
            if time.perf_counter() > until:
                return
            user.ask(question)

    threads = [threading.Thread(target=work, args=(user, n % len(QUESTIONS))) for n, user in enumerate(everyone)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times = sorted(each for user in everyone for each in user.times)
    errors = sum(user.errors for user in everyone)
    middle, late = (1000 * times[int(share * len(times))] for share in (0.5, 0.95))
    print(
        f"{users} users for {seconds:g} s: {len(times):,} answers, {errors} errors, {len(times) / seconds:.0f} a second"
    )
    print(f"  median {middle:.0f} ms, 95th percentile {late:.0f} ms")


def in_a_row(address: str, requests: int, process: int) -> None:
    """Whether memory grows; the first hundred answers are let go, since they load what is needed."""
    user = User(address)
    asked = itertools.cycle(QUESTIONS)
    for _ in range(100):
        user.ask(next(asked))
    before = memory(process)
    for _ in range(requests):
        user.ask(next(asked))
    after = memory(process)
    print(f"{requests:,} requests: {user.errors} errors, memory {before:.0f} MB before and {after:.0f} MB after")


def memory(process: int) -> float:
    """Of a process, in megabytes."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"process {process} says nothing of its memory")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--requests", type=int, default=10_000)
    options = parser.parse_args()
    command = [sys.executable, "-m", "visarith", "serve", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = json.loads(server.stdout.readline())["address"]
            User(address).ask(QUESTIONS[0])  # it listens before it is ready
            together(address, options.users, options.seconds)
            in_a_row(address, options.requests, server.pid)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)


if __name__ == "__main__":
    main()
