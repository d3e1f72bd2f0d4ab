"""Runs the commands of the guides as their readers would, in the working folder."""

import importlib
import os
import shlex
import signal
import socket
import threading
import time
import tomllib
from collections.abc import Callable

import pygame

from tests.guides.blocks import ROOT
from tests.guides.shorter import rule, shortened

SCRIPTS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]["scripts"]
"""``module:function`` of each program."""

SIMULATOR = "nsac-udacity-sim"
SERVERS = {
    "nsac-evaluate --world": f"{SIMULATOR} --track lake",
    "nsac-record udacity": f"{SIMULATOR} --driver scripted",
}
"""Programs that serve a simulator until they are interrupted, and which simulator connects."""

WINDOW = f"{SIMULATOR} --mode training --driver keyboard"
"""Opens a window, and goes on until that is closed."""

PATIENCE = 100.0
"""Seconds after which nobody is waited for."""


def run(line: str) -> None:
    """Runs a command, made short.

    Raises:
        AssertionError: If it does not end with status 0.
    """
    port, key = _free_port(), rule(line)
    if key in SERVERS:
        _serve(shortened(line, port), shortened(SERVERS[key], port))
    elif key == SIMULATOR:
        _serve(
            shortened("nsac-evaluate --world udacity --policy nsac-udacity", port),
            shortened(line, port),
        )
    elif key == WINDOW:
        threading.Thread(target=_close_window, daemon=True).start()
        _run_program(shortened(line, port))
    else:
        _run_program(shortened(line, port))


def _serve(server: str, simulator: str) -> None:
    """Runs a server until its simulator has left; then it is interrupted, as by Ctrl-C."""
    faults: list[AssertionError] = []
    serving = threading.Event()

    def drive() -> None:
        try:
            _run_program(simulator)
        except AssertionError as fault:
            faults.append(fault)
        if serving.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    serving.set()
    client = threading.Thread(target=drive, daemon=True)
    client.start()
    try:
        _run_program(server)
    finally:
        serving.clear()
    client.join(PATIENCE)
    assert not client.is_alive(), f"goes on and on: {simulator}"
    assert not faults, faults[0]


def _run_program(line: str) -> None:
    program, *arguments = shlex.split(line)
    module, _, function = SCRIPTS[program].partition(":")
    main: Callable[[list[str]], None] = getattr(importlib.import_module(module), function)
    try:
        main(arguments)
    except SystemExit as end:
        raise AssertionError(f"exit status {end.code}: {line}") from None


def _close_window() -> None:
    while not (pygame.display.get_init() and pygame.display.get_surface()):
        time.sleep(0.1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
