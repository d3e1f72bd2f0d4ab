"""The messages of the simulator, against literal ones and against python-socketio's own packets."""

import base64
import contextlib
import json
import math
import re
from typing import Literal

import pytest
import socketio.packet
from engineio.packet import Packet
from hypothesis import given
from hypothesis import strategies as st

from drive.udacity.numerals import read_n4, read_steer_number, write_n4
from drive.udacity.protocol import (
    Close,
    Command,
    Connect,
    Ignored,
    Manual,
    ManualTelemetry,
    Open,
    Ping,
    Pong,
    ProtocolError,
    Telemetry,
    TelemetryError,
    read,
    write_connect,
    write_manual,
    write_manual_telemetry,
    write_open,
    write_ping,
    write_pong,
    write_steer,
    write_telemetry,
)

LITERAL = (
    '42["telemetry",{"steering_angle":"-12,5000","throttle":"0,9758","speed":"1.234,5000",'
    '"image":"/9j/4A=="}]'
)


@pytest.mark.parametrize(
    ("text", "value", "decimal"),
    [
        ("1,234.5678", 1234.5678, "."),
        ("1.234,5678", 1234.5678, ","),
        ("12,1822", 12.1822, ","),
        ("1.234,5000", 1234.5, ","),
        ("0,0000", 0.0, ","),
        ("-25.0000", -25.0, "."),
        ("-1.234.567,0001", -1234567.0001, ","),
        ("1\u00a0234,5000", 1234.5, ","),  # fr-FR of .NET Framework
        ("1\u202f234,5000", 1234.5, ","),  # fr-FR of newer ICU
        ("1\u2019234.5000", 1234.5, "."),  # de-CH
        ("12,34,567.8900", 1234567.89, "."),  # hi-IN
        ("\u22121,5000", -1.5, ","),  # sv-SE
    ],
)
def test_numbers_of_any_locale_are_read(text: str, value: float, decimal: str) -> None:
    assert read_n4(text) == (value, decimal)


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "1.5", "1.23456", "NaN", "Infinity", "1e-05", "1.2.3456", "1,2,3456", "x.0000"),
        *("1234.5678 ", "\u0661.2345", "--1.0000", "9" * 400 + ".0000", "12.34,5.6789"),
    ],
)
def test_what_is_no_such_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="four decimals"):
        read_n4(text)


@given(st.floats(-1e6, 1e6), st.sampled_from([".", ","]))
def test_numbers_survive_the_wire(value: float, decimal: Literal[".", ","]) -> None:
    back, mark = read_n4(write_n4(value, decimal))
    assert mark == decimal
    assert back == pytest.approx(value, abs=5.1e-5, rel=0)


def test_telemetry_of_a_comma_locale_is_read() -> None:
    assert read(LITERAL) == Telemetry(-12.5, 0.9758, 1234.5, b"\xff\xd8\xff\xe0", ",")


def test_telemetry_is_written_as_the_simulator_does() -> None:
    telemetry = Telemetry(-12.5, 0.9758, 1234.5, b"\xff\xd8\xff\xe0", ",")
    assert write_telemetry(telemetry) == LITERAL


def test_an_independent_library_reads_our_events(jpeg: bytes) -> None:
    telemetry = Telemetry(1.0, 0.5, 20.0, jpeg)
    packet = Packet(encoded_packet=write_telemetry(telemetry))
    event = socketio.packet.Packet(encoded_packet=packet.data)
    assert event.packet_type == socketio.packet.EVENT
    name, data = event.data
    assert name == "telemetry"
    assert {key: data[key] for key in ("steering_angle", "throttle", "speed")} == {
        "steering_angle": "1.0000",
        "throttle": "0.5000",
        "speed": "20.0000",
    }
    assert base64.b64decode(data["image"]) == jpeg


def test_an_independent_library_reads_our_handshake() -> None:
    packet = Packet(encoded_packet=write_open(Open("abc", 25.0, 60.0)))
    assert packet.packet_type == 0
    assert packet.data == {
        "sid": "abc",
        "upgrades": [],
        "pingInterval": 25000,
        "pingTimeout": 60000,
    }
    connect = socketio.packet.Packet(
        encoded_packet=Packet(encoded_packet=write_connect("abc")).data
    )
    assert (connect.packet_type, connect.data) == (socketio.packet.CONNECT, {"sid": "abc"})


def test_we_read_an_independent_librarys_events(jpeg: bytes) -> None:
    data = {
        "steering_angle": "1.0000",
        "throttle": "0.5000",
        "speed": "20.0000",
        "image": base64.b64encode(jpeg).decode(),
    }
    event = socketio.packet.Packet(socketio.packet.EVENT, data=["telemetry", data]).encode()
    text = Packet(4, data=event).encode()
    assert read(text) == Telemetry(1.0, 0.5, 20.0, jpeg, ".")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":60000}', Open("a", 25, 60)),
        ("40", Connect()),
        ("40{}", Connect()),
        ('40{"sid":"a"}', Connect("a")),
        ("2", Ping()),
        ("2probe", Ping("probe")),
        ("3", Pong()),
        ("1", Close()),
        ("41", Close()),
        ("5", Ignored()),
        ("6", Ignored()),
        ('42["telemetry",null]', ManualTelemetry()),
        ('42["telemetry",{}]', ManualTelemetry()),
        ('42["telemetry"]', ManualTelemetry()),
        ('42["manual",{}]', Manual()),
        ('42["steer",{"steering_angle":"0.1","throttle":"-1"}]', Command(0.1, -1.0)),
    ],
)
def test_packets_are_read(text: str, message: object) -> None:
    assert read(text) == message


def test_packets_are_written() -> None:
    assert [write_ping(), write_pong(), write_pong("probe"), write_connect()] == [
        *("2", "3", "3probe", "40"),
    ]
    assert write_manual() == '42["manual",{}]'
    assert write_manual_telemetry() == '42["telemetry",null]'
    assert read(write_open(Open("a", 25.0, 60.0))) == Open("a", 25.0, 60.0)


def test_the_reply_is_in_the_senders_locale() -> None:
    assert json.loads(write_steer(Command(0.1, -0.05), ",")[2:]) == [
        "steer",
        {"steering_angle": "0,1000", "throttle": "-0,0500"},
    ]


def test_a_comma_locale_misreads_a_point() -> None:
    """The fault that the mirrored separator is there for: .NET's `float.Parse` drops groups."""
    text = write_steer(Command(0.05, 0.0), ".")
    assert read(text, decimal=",") == Command(500.0, 0.0)
    assert read(write_steer(Command(0.05, 0.0), ","), decimal=",") == Command(0.05, 0.0)


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([".", ","]))
def test_every_finite_command_is_one_short_decimal(
    value: float, decimal: Literal[".", ","]
) -> None:
    text = json.loads(write_steer(Command(value, 0.0), decimal)[2:])[1]["steering_angle"]
    assert re.fullmatch(r"-?[01][.,][0-9]{4}", text)
    assert text[-5] == decimal
    assert not text.startswith(f"-0{decimal}0000")
    expected = min(max(value, -1.0), 1.0)
    assert float(text.replace(",", ".")) == pytest.approx(expected, abs=5.1e-5)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_command_without_a_value_is_not_written(value: float) -> None:
    with pytest.raises(ProtocolError, match="throttle: expected a finite number"):
        write_steer(Command(0.0, value))


@pytest.mark.parametrize("text", ["nan", "[[0.1]]", "1e-05", "", " 0.1", "0.1.", "0x1"])
def test_the_simulator_reads_only_plain_decimals(text: str) -> None:
    with pytest.raises(ValueError, match="one decimal number"):
        read_steer_number(text)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "packet"),
        ("9", "packet"),
        ("4", "packet"),
        ("40/chat,", "packet"),
        ("0", "json"),
        ("0{}", "field"),
        ("0[]", "field"),
        ("42", "json"),
        ("42{", "json"),
        ("42" + "[" * 100_000, "json"),
        ("42{}", "event"),
        ("42[]", "event"),
        ('0{"sid":"a","pingInterval":' + "9" * 400 + ',"pingTimeout":1}', "field"),
        ("42[1]", "event"),
        ('42["reset",{}]', "event"),
        ('42["steer",null]', "field"),
        ('42["steer",{"steering_angle":0.1,"throttle":"0"}]', "field"),
        ('42["steer",{"steering_angle":"0.1"}]', "field"),
        ('42["steer",{"steering_angle":"nan","throttle":"0"}]', "number"),
    ],
)
def test_other_packets_are_refused(text: str, cause: str) -> None:
    with pytest.raises(ProtocolError) as refused:
        read(text)
    assert refused.value.cause == cause
    assert not isinstance(refused.value, TelemetryError)
    assert "\n" not in str(refused.value)


GOOD = {"steering_angle": "0.0000", "throttle": "0.0000", "speed": "0.0000", "image": "/9j/"}


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        ([], "field"),
        ("x", "field"),
        (1, "field"),
        ({"speed": "0.0000"}, "field"),
        ({**GOOD, "speed": 0.0}, "field"),
        ({**GOOD, "speed": None}, "field"),
        ({**GOOD, "speed": "fast"}, "number"),
        ({**GOOD, "speed": "NaN"}, "number"),
        ({**GOOD, "speed": "0,0000"}, "decimal"),
        ({**GOOD, "image": "/9j"}, "base64"),
        ({**GOOD, "image": "é***"}, "base64"),
        ({**GOOD, "image": ["/9j/"]}, "field"),
    ],
)
def test_telemetry_that_cannot_be_read_still_waits_for_a_reply(data: object, cause: str) -> None:
    with pytest.raises(TelemetryError) as refused:
        read("42" + json.dumps(["telemetry", data]))
    assert refused.value.cause == cause


def test_telemetry_that_was_cut_off_still_waits_for_a_reply() -> None:
    with pytest.raises(TelemetryError):
        read(LITERAL[:60])


@given(st.text(max_size=40), st.sampled_from(["", "0", "40", "42", '42["telemetry",']))
def test_no_text_breaks_the_reader(text: str, start: str) -> None:
    with contextlib.suppress(ProtocolError):
        read(start + text)
