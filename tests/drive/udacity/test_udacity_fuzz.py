"""10,000 malformed packets from 20 clients at once: none is fatal, none is lost count of."""

import asyncio
import gc
import json
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

import psutil
import pytest

from drive.udacity.bridge import Bridge

CLIENTS = 20
TOTAL = 10_000


class RawClient(Protocol):
    """What is used of the raw simulator."""

    def receive(self, timeout: float) -> str: ...

    def close(self) -> None: ...


READABLE = {"steering_angle": "0.0000", "throttle": "0.0000", "speed": "9.0000", "image": ""}


def event(**changed: object) -> str:
    return "42" + json.dumps(["telemetry", {**READABLE, **changed}])


def texts(rng: random.Random) -> list[tuple[str, str]]:
    """Malformed packets that leave the connection open, each with its cause."""
    return [
        ("packet", ""),
        ("packet", rng.choice("4789xyz") + "\x00" * rng.randrange(100)),
        ("json", "42[" * rng.randrange(1, 50)),
        ("json", "42" + "[" * rng.randrange(2000, 20_000)),
        ("json", event()[: rng.randrange(20, 60)]),
        ("event", '42["' + "e" * rng.randrange(1, 10_000) + '"]'),
        ("event", '42["manual",{}]'),
        ("event", "42" + json.dumps(rng.choice([[], {}, "x", [None], [[]]]))),
        ("field", event(speed=rng.choice([1, None, [], {}, True, "1"][:5]))),
        ("field", '42["telemetry",' + rng.choice(["1", "[1]", '"x"', "true"]) + "]"),
        ("field", "0{}"),
        ("number", event(speed=rng.choice(["", "nan", "1e5", "1.0", "x" * 9999, "-"]))),
        ("decimal", event(speed="9,0000")),
        ("base64", event(image="*" * rng.randrange(1, 30_000))),
        ("image", event(image="/9j/" * rng.randrange(1, 30_000))),
        ("image", event()),
    ]


def frames(rng: random.Random) -> list[tuple[str, int, bytes]]:
    """Frames after which the bridge hangs up, and a binary one, after which it does not."""
    return [
        ("utf8", 1, b"\xff" * rng.randrange(1, 100)),
        ("websocket", rng.choice([3, 4, 5, 6, 7, 11]), b"x"),
        ("websocket", 0, b"continues nothing"),
        ("websocket", 9, b"x" * 200),
    ]


class Hooligan:
    """One client's share of the packets; counts what the bridge ought to count."""

    def __init__(self, bridge: Bridge, connect: Callable[..., Any], seed: int) -> None:
        self.rng = random.Random(seed)
        self.bridge = bridge
        self.connect = connect
        self.sent: Counter[str] = Counter()

    def run(self, packets: int) -> None:
        while sum(self.sent.values()) < packets:
            deed = self.rng.choices([self.babble, self.break_off, self.half_open], [90, 8, 2])[0]
            deed(min(60, packets - sum(self.sent.values())))

    def babble(self, packets: int) -> None:
        """Malformed packets on one connection, read to their end, then a proper farewell."""
        client = self.connect(self.bridge)
        for _ in range(packets):
            if self.rng.random() < 0.1:
                client.frame(2, self.rng.randbytes(self.rng.randrange(2000)))
                self.sent["binary"] += 1
                continue
            cause, text = self.rng.choice(texts(self.rng))
            client.send(text)
            self.sent[cause] += 1
            if cause in ("image", "number", "decimal", "base64") or text.startswith(
                '42["telemetry"'
            ):
                client.steer(timeout=30)
        client.send("2")
        assert client.receive(timeout=30) == "3"
        client.send("1")
        self.until_closed(client)

    def break_off(self, _: int) -> None:
        """A frame that breaks the websocket protocol, or a message that is too large."""
        client = self.connect(self.bridge)
        if self.rng.random() < 0.1:
            client.socket.sendall(b"\x81\xff" + (5 * 2**20).to_bytes(8) + bytes(4))
            cause = "too_large"
        else:
            cause, opcode, payload = self.rng.choice(frames(self.rng))
            client.frame(opcode, payload)
        self.sent[cause] += 1
        self.until_closed(client)

    def half_open(self, _: int) -> None:
        """A connection without a handshake, with half of one, or dropped in mid-frame."""
        if self.rng.random() < 0.5:
            with socket.create_connection(("127.0.0.1", self.bridge.port)) as half:
                half.sendall(self.rng.choice([b"", b"GET /socket.io/ HT", b"\x00\xff\r\n\r\n"]))
                if self.rng.random() < 0.2:
                    half.settimeout(10)
                    half.recv(1000)  # the bridge's patience ends
            self.sent["handshake"] += 1
        else:
            client = self.connect(self.bridge)
            client.socket.sendall(b"\x81\xfe\x10\x00" + bytes(100))
            client.reset()
            self.sent["dropped"] += 1

    @staticmethod
    def until_closed(client: RawClient) -> None:
        with pytest.raises(EOFError):  # noqa: PT012 - any number of replies may come before
            while True:
                client.receive(timeout=30)
        client.close()


def tasks_of(bridge: Bridge) -> int:
    assert bridge._server is not None
    return len(asyncio.all_tasks(bridge._server.get_loop()))


def test_ten_thousand_malformed_packets(
    serve: Callable[..., Bridge],
    simulator: Callable[..., Any],
    telemetry: Callable[..., str],
    scripted: Callable[..., Any],
    eventually: Callable[..., None],
) -> None:
    bridge = serve(scripted, handshake=1.0, stale_after=60.0, most_repeats=10**9, unread=60.0)
    driver = simulator(bridge)
    answered = 0

    def riot(packets: int) -> Counter[str]:
        """All clients at once, while one drives on undisturbed."""
        nonlocal answered
        hooligans = [Hooligan(bridge, simulator, 100 * packets + i) for i in range(CLIENTS)]
        faults: list[BaseException] = []

        def share(hooligan: Hooligan) -> None:
            try:
                hooligan.run(packets // CLIENTS)
            except BaseException as fault:
                faults.append(fault)
                raise

        threads = [threading.Thread(target=share, args=(each,)) for each in hooligans]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            driver.send(telemetry())
            assert driver.steer(timeout=30)["steering_angle"] == "0.1000"
            answered += 1
            time.sleep(0.01)
        assert not faults
        return sum((each.sent for each in hooligans), Counter())

    process = psutil.Process()
    expected = riot(TOTAL // 5)
    eventually(lambda: bridge.status().clients == 1)
    gc.collect()
    before, threads, tasks = process.memory_info().rss, process.num_threads(), tasks_of(bridge)
    expected += riot(TOTAL - TOTAL // 5)
    eventually(lambda: bridge.status().clients == 1)
    eventually(lambda: tasks_of(bridge) <= tasks)
    gc.collect()

    assert expected.total() == TOTAL
    counts = Counter(bridge.faults.counts)
    counts.pop("stale_command")  # replies to telemetry, not packets: see test_udacity_bridge_faults
    assert counts == expected
    assert answered > 20
    assert process.memory_info().rss - before < 30 * 2**20
    assert process.num_threads() <= threads + 2
