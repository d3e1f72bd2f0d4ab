"""The bridge ends: every car is brought to rest, and nobody is waited for in vain."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from drive.udacity.bridge import Bridge
from drive.udacity.protocol import Command

Serve = Callable[..., Bridge]
Simulator = Callable[..., Any]
Write = Callable[..., str]
MakeScripted = Callable[..., Any]


def closing(bridge: Bridge) -> threading.Thread:
    """Ends the bridge in a thread, as Ctrl-C would."""
    assert bridge._server is not None
    loop = bridge._server.get_loop()
    end = threading.Thread(
        target=lambda: asyncio.run_coroutine_threadsafe(bridge.close(), loop).result(10),
        daemon=True,
    )
    end.start()
    return end


def test_the_end_brakes_below_5_mph_then_lets_go(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    bridge = serve(lambda: scripted(then=Command(0.3, 0.8)), stop=5.0)
    client = simulator(bridge)
    client.send(telemetry("20.0000"))
    assert client.steer()["throttle"] == "0.8000"
    client.send(telemetry("20.0000"))
    client.steer()
    end = closing(bridge)
    time.sleep(0.1)
    for speed in ("20.0000", "12.0000", "5.1000"):
        client.send(telemetry(speed))
        assert client.steer() == {"steering_angle": "0.3000", "throttle": "-1.0000"}
    client.send(telemetry("4.9000"))
    assert client.steer() == {"steering_angle": "0.0000", "throttle": "0.0000"}
    with pytest.raises(EOFError):
        client.receive()
    end.join(5)
    assert not end.is_alive()


def test_the_end_brakes_a_car_that_cannot_be_read(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    bridge = serve(lambda: scripted(then=Command(0.3, 0.8)), stop=1.0)
    client = simulator(bridge)
    client.send(telemetry("20.0000"))
    assert client.steer()["throttle"] == "0.8000"
    end = closing(bridge)
    time.sleep(0.1)
    client.send(telemetry("20.0000").replace('"image":"', '"image":"*'))
    assert client.steer() == {"steering_angle": "0.3000", "throttle": "-1.0000"}
    assert client.steer() == {"steering_angle": "0.0000", "throttle": "0.0000"}
    end.join(5)
    assert not end.is_alive()


def test_the_end_comes_at_once_for_a_driver_that_works(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    bridge = serve(lambda: scripted(then=lambda *_: time.sleep(2.0)))
    client = simulator(bridge)
    client.send(telemetry("20.0000"))
    time.sleep(0.1)
    start = time.monotonic()
    end = closing(bridge)
    assert client.steer() == {"steering_angle": "0.0000", "throttle": "-1.0000"}
    assert time.monotonic() - start < 1.5
    client.send(telemetry("4.0000"))
    assert client.steer() == {"steering_angle": "0.0000", "throttle": "0.0000"}
    end.join(5)
    assert not end.is_alive()


def test_the_end_lets_go_of_a_car_that_says_no_more(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    bridge = serve(scripted, stop=0.3)
    client = simulator(bridge)
    client.send(telemetry("20.0000"))
    client.steer()
    end = closing(bridge)
    assert client.steer() == {"steering_angle": "0.0000", "throttle": "0.0000"}
    with pytest.raises(EOFError):
        client.receive()
    end.join(5)
    assert not end.is_alive()


def test_the_end_does_not_wait_for_idle_clients(
    serve: Serve, simulator: Simulator, scripted: MakeScripted
) -> None:
    bridge = serve(scripted, stop=5.0)
    client = simulator(bridge)
    opening = socket.create_connection(("127.0.0.1", bridge.port))
    time.sleep(0.1)
    start = time.monotonic()
    closing(bridge).join()
    assert time.monotonic() - start < 3.0
    with pytest.raises(EOFError):
        client.receive()
    opening.close()
