"""Runs commands and Python of the guides as their readers would, in the working folder."""

import importlib
import shlex
import socket
import time
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pygame

from tests.guides.blocks import ROOT
from tests.guides.shorter import rule, shortened

SCRIPTS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]["scripts"]
"""``module:function`` of each program."""

PARTNERS = {
    "nsac-evaluate --world": "nsac-udacity-sim --track lake",
    "nsac-record udacity": "nsac-udacity-sim --driver scripted",
    "nsac-udacity-sim": "nsac-evaluate --world udacity --policy nsac-udacity",
}
"""What listens to a program, or whom it listens to, runs beside it."""

WINDOW = "nsac-udacity-sim --mode training --driver keyboard"
"""Opens a window, and goes on until that is closed."""


def run(line: str) -> None:
    """Runs a command, made short.

    Raises:
        AssertionError: If it does not end with status 0.
    """
    port, key = _free_port(), rule(line)
    with ThreadPoolExecutor(1) as thread:
        beside = []
        if key in PARTNERS:
            beside += [thread.submit(_run_program, shortened(PARTNERS[key], port))]
        if key == WINDOW:
            beside += [thread.submit(_close_window)]
        _run_program(shortened(line, port))
        for partner in beside:
            partner.result()


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
