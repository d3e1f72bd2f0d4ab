"""The bridge and clients of other make: a raw one that frames as Unity does, python-socketio 5."""

import base64
import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import socketio

from drive.udacity.bridge import Bridge, Driver, in_background
from drive.udacity.bridge_config import BridgeConfig, BridgeError
from drive.udacity.frame_shape import Frame
from drive.udacity.frames import encode
from drive.udacity.protocol import Command, Telemetry

Serve = Callable[..., Bridge]
Simulator = Callable[..., Any]
Write = Callable[..., str]
Wait = Callable[..., None]
MakeScripted = Callable[..., Any]


def test_a_client_that_never_enters_is_answered_within_a_second(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    start = time.monotonic()
    client = simulator(serve(scripted), greeted=False)
    client.send("2")
    client.open()
    assert client.receive() == "3"
    client.send(telemetry())
    client.send(telemetry())  # "open" is raised twice on its side
    assert client.steer() == {"steering_angle": "0.1000", "throttle": "0.2000"}
    assert client.steer() == {"steering_angle": "0.1000", "throttle": "0.2000"}
    assert time.monotonic() - start < 1.0
    with pytest.raises(TimeoutError):
        client.receive(timeout=0.1)


def test_two_telemetries_at_once_are_both_decided_on(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    """In one segment of TCP, so that the second is there before the driver has begun."""

    def mirror(_: Frame, telemetry: Telemetry) -> Command:
        return Command(telemetry.steering_angle / 25, 0.0)

    bridge = serve(lambda: scripted(then=mirror))
    small = encode(np.zeros((160, 320, 3), dtype=np.uint8))
    for _ in range(10):
        client = simulator(bridge)
        client.cork()
        client.send(telemetry(image=small, steering="5.0000"))
        client.send(telemetry(image=small, steering="-5.0000"))
        client.uncork()
        replies = [client.steer()["steering_angle"] for _ in range(2)]
        assert replies == ["0.2000", "-0.2000"]
        client.close()
    assert "stale_frame" not in bridge.faults.counts


def test_the_driver_sees_the_frame_in_rgb_and_the_numbers(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    driver = scripted()
    client = simulator(serve(lambda: driver))
    red = np.zeros((160, 320, 3), dtype=np.uint8)
    red[..., 0] = 254
    for picture in (red, red[..., ::-1].copy()):
        client.send(telemetry("12.1822", encode(picture), steering="-3.5000", throttle="0.9758"))
        client.steer()
    seen_red, seen_blue = driver.frames
    assert np.abs(seen_red.astype(int) - red).max() < 10
    assert np.abs(seen_blue.astype(int) - red[..., ::-1]).max() < 10
    assert driver.telemetries[0] == Telemetry(-3.5, 0.9758, 12.1822, encode(red), ".")


def test_a_comma_locale_is_answered_in_commas(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    driver = scripted()
    client = simulator(serve(lambda: driver))
    client.send(telemetry("1.234,5000", steering="0,0000", throttle="0,0000"))
    assert client.steer() == {"steering_angle": "0,1000", "throttle": "0,2000"}
    assert driver.telemetries[0].speed == 1234.5


@pytest.mark.parametrize("data", ["null", "{}"])
def test_a_person_may_drive_in_between(
    data: str, serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    driver = scripted()
    client = simulator(serve(lambda: driver))
    client.send(telemetry())
    client.steer()
    client.send(f'42["telemetry",{data}]')
    assert client.receive() == '42["manual",{}]'
    client.send(telemetry())
    client.steer()
    assert driver.resets == 2


def test_a_simulator_that_was_there_first_is_served(
    telemetry: Write, scripted: MakeScripted
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    replies: list[object] = []

    def retry() -> None:
        client = socketio.Client(reconnection=False)
        client.on("steer", replies.append)
        for _ in range(100):
            try:
                client.connect(f"http://127.0.0.1:{port}", transports=["websocket"])
                break
            except socketio.exceptions.ConnectionError:
                time.sleep(0.02)
        client.emit("telemetry", data_of(telemetry()))
        time.sleep(0.3)
        client.disconnect()

    waiting = threading.Thread(target=retry)
    waiting.start()
    time.sleep(0.2)
    with in_background(scripted, BridgeConfig(port=port)):
        waiting.join()
    assert replies == [{"steering_angle": "0.1000", "throttle": "0.2000"}]


def data_of(text: str) -> dict[str, str]:
    return dict(json.loads(text[2:])[1])


def test_a_client_of_python_socketio_drives(
    serve: Serve, telemetry: Write, scripted: MakeScripted, eventually: Wait
) -> None:
    driver = scripted()
    bridge = serve(lambda: driver, ping_interval=0.05)
    client = socketio.Client(reconnection=False)
    replies: list[dict[str, str]] = []

    def steer(data: dict[str, str]) -> None:
        replies.append(data)
        if len(replies) < 50:
            client.emit("telemetry", data_of(telemetry()))

    client.on("steer", steer)
    client.connect(f"http://127.0.0.1:{bridge.port}", transports=["websocket"])
    client.emit("telemetry", data_of(telemetry()))
    eventually(lambda: len(replies) == 50)
    assert set(map(str, replies)) == {"{'steering_angle': '0.1000', 'throttle': '0.2000'}"}
    time.sleep(0.2)  # several of the bridge's own pings, without which it would hang up
    assert client.connected
    client.disconnect()
    eventually(lambda: bridge.status().clients == 0)
    assert bridge.faults.counts == {}


def test_clients_of_both_makes_drive_through_one_bridge(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted, eventually: Wait
) -> None:
    def mirror(_: Frame, telemetry: Telemetry) -> Command:
        return Command(telemetry.steering_angle / 25, 0.0)

    bridge = serve(lambda: scripted(then=mirror))
    raw = simulator(bridge)
    newer = socketio.Client(reconnection=False)
    replies: list[dict[str, str]] = []
    newer.on("steer", replies.append)
    newer.connect(f"http://127.0.0.1:{bridge.port}", transports=["websocket"])
    for number in range(20):
        newer.emit(
            "telemetry", data_of(telemetry(steering="-5,0000", speed="9,0000", throttle="0,0000"))
        )
        raw.send(telemetry(steering="5.0000"))
        assert raw.steer()["steering_angle"] == "0.2000"
        eventually(lambda: len(replies) == number + 1)  # noqa: B023 - called at once
    assert {reply["steering_angle"] for reply in replies} == {"-0,2000"}
    newer.disconnect()


def test_the_raw_client_is_not_pinged(
    serve: Serve, simulator: Simulator, scripted: MakeScripted
) -> None:
    client = simulator(serve(scripted, ping_interval=0.05))
    with pytest.raises(TimeoutError):
        client.receive(timeout=0.3)


def test_two_simulators_get_their_own_replies_only(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    def mirror(_: Frame, telemetry: Telemetry) -> Command:
        return Command(telemetry.steering_angle / 25, telemetry.throttle)

    bridge = serve(lambda: scripted(then=mirror))
    clients = {"5.0000": simulator(bridge), "-5.0000": simulator(bridge)}
    for _ in range(20):
        for steering, client in clients.items():
            client.send(telemetry(steering=steering))
        for steering, client in clients.items():
            wanted = f"{float(steering) / 25:.4f}"
            assert client.steer()["steering_angle"] == wanted
    for client in clients.values():
        with pytest.raises(TimeoutError):
            client.receive(timeout=0.05)


def test_a_driver_is_reset_when_its_simulator_comes_back(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted, eventually: Wait
) -> None:
    made: list[Any] = []

    def make() -> Driver:
        driver: Driver = scripted(Command(0.9, 0.9), ValueError("no idea"))
        made.append(driver)
        return driver

    bridge = serve(make)
    first = simulator(bridge)
    first.send(telemetry())
    assert first.steer()["throttle"] == "0.9000"
    first.reset()
    eventually(lambda: bridge.status().clients == 0)
    second = simulator(bridge)
    second.send(telemetry("3.0000"))
    # The driver fails, and what it said to the car before must not be repeated.
    assert second.steer() == {"steering_angle": "0.0000", "throttle": "0.0000"}
    assert [driver.resets for driver in made] == [2]
    assert bridge.faults.counts == {"dropped": 1, "driver_error": 1, "stale_command": 1}


def test_a_slow_driver_never_blocks_the_line(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    decided = threading.Event()

    def slow(_: Frame, telemetry: Telemetry) -> Command:
        decided.wait(10)
        return Command(telemetry.steering_angle / 25, 0.0)

    bridge = serve(lambda: scripted(then=slow), stale_after=10.0)
    client = simulator(bridge)
    for steering in ("1.0000", "2.0000", "3.0000"):
        client.send(telemetry(steering=steering))
    client.send("2")
    # The second frame is overtaken: its reply comes at once, and stops, as nothing is known yet.
    assert client.steer() == {"steering_angle": "0.0000", "throttle": "-1.0000"}
    assert client.receive() == "3"
    decided.set()
    assert client.steer()["steering_angle"] == "0.0400"
    assert client.steer()["steering_angle"] == "0.1200"
    assert bridge.faults.counts == {"stale_frame": 1, "stale_command": 1}


def test_rate_and_latency_tell_of_a_slow_driver(
    serve: Serve,
    simulator: Simulator,
    telemetry: Write,
    scripted: MakeScripted,
    eventually: Wait,
) -> None:
    def slow(*_: object) -> Command:
        time.sleep(0.25)
        return Command(0.0, 0.0)

    bridge = serve(lambda: scripted(then=slow))
    client = simulator(bridge)
    seen = []
    for _ in range(5):
        start = time.monotonic()
        client.send(telemetry())
        client.steer()
        seen.append(time.monotonic() - start)
    eventually(lambda: bridge.times.replies == 5)
    speed = bridge.status().speed
    assert 0.25 <= speed.median < np.median(seen) + 0.05
    assert 1.0 < speed.rate <= 5.0


def test_a_driver_that_hangs_stops_the_car(
    serve: Serve, simulator: Simulator, telemetry: Write, scripted: MakeScripted
) -> None:
    freed = threading.Event()

    def hang(*_: object) -> Command:
        freed.wait(10)
        return Command(0.7, 0.7)

    bridge = serve(lambda: scripted(Command(0.3, 0.8), hang), stale_after=0.2)
    client = simulator(bridge)
    client.send(telemetry("20.0000"))
    assert client.steer() == {"steering_angle": "0.3000", "throttle": "0.8000"}
    for speed, throttle in (("20.0000", "-1.0000"), ("4.9000", "0.0000")):
        start = time.monotonic()
        client.send(telemetry(speed))
        assert client.steer()["throttle"] == throttle
        assert 0.2 <= time.monotonic() - start < 2.0
    assert bridge.faults.counts == {"stale_command": 2}
    freed.set()
    client.send(telemetry())
    # The answer of long ago is not used: the driver decides anew.
    assert client.steer() == {"steering_angle": "0.1000", "throttle": "0.2000"}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.1.7", "example.org"])
def test_a_public_interface_is_refused_unless_told(host: str, scripted: MakeScripted) -> None:
    with pytest.raises(BridgeError, match=r"127\.0\.0\.1"):
        Bridge(scripted, BridgeConfig(host=host))
    Bridge(scripted, BridgeConfig(host=host, public=True))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.1.2.3"])
def test_loopback_is_not_public(host: str, scripted: MakeScripted) -> None:
    Bridge(scripted, BridgeConfig(host=host))


def test_a_host_that_is_not_there_is_named(
    scripted: MakeScripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr("drive.udacity.bridge.serve", resolve)
    server = in_background(scripted, BridgeConfig(host="nosuch.invalid", public=True))
    with pytest.raises(OSError, match=r"Name or service not known: 'nosuch\.invalid'"):
        server.__enter__()


def test_a_port_that_is_taken_is_named(serve: Serve, scripted: MakeScripted) -> None:
    bridge = serve(scripted)
    second = in_background(scripted, BridgeConfig(port=bridge.port))
    with pytest.raises(OSError, match=str(bridge.port)):
        second.__enter__()
    with pytest.raises(BridgeError, match="70000"):
        BridgeConfig(port=70000).check()


def test_web_pages_and_other_paths_are_refused(
    serve: Serve, simulator: Simulator, scripted: MakeScripted, eventually: Wait
) -> None:
    bridge = serve(scripted)
    assert simulator(bridge, greeted=False, path="/").status == 404
    page = simulator(bridge, greeted=False, headers="Origin: https://example.org\r\n")
    assert page.status == 403
    own = simulator(bridge, headers=f"Origin: http://127.0.0.1:{bridge.port}\r\n")
    assert own.status == 101
    eventually(lambda: bridge.faults.counts["handshake"] == 2)


def test_the_image_is_what_the_jpeg_says(telemetry: Write, jpeg: bytes) -> None:
    assert 8000 < len(jpeg) < 12000
    assert base64.b64decode(data_of(telemetry())["image"]) == jpeg
