"""Gamepads, plugged in at any time; SDL knows where each of them has its stick and triggers."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

import pygame
from pygame._sdl2 import controller

from recorders.human.controls import Hands
from recorders.human.session import Event

FULL = 32_767
"""What SDL calls the end of an axis."""

EVENTS: Mapping[int, Event] = {
    pygame.CONTROLLER_BUTTON_START: Event.PAUSE,
    pygame.CONTROLLER_BUTTON_BACK: Event.HELP,
    pygame.CONTROLLER_BUTTON_A: Event.ACCEPT,
    pygame.CONTROLLER_BUTTON_B: Event.DISCARD,
    pygame.CONTROLLER_BUTTON_X: Event.KEEP,
    pygame.CONTROLLER_BUTTON_Y: Event.RESTART,
}


class Pad(Protocol):
    """One gamepad."""

    def get_axis(self, axis: int) -> int:
        """Where an axis stands, -32768 to 32767; triggers from 0."""

    def attached(self) -> bool:
        """Whether it is still plugged in."""


class Gamepads:
    """Those that are plugged in; the last one that came is driven with.

    Args:
        open_pad: Opens the gamepad of a device number.
    """

    def __init__(self, open_pad: Callable[[int], Pad] = controller.Controller) -> None:
        self._open = open_pad
        self._pads: list[Pad] = []

    def event(self, event: pygame.event.Event) -> Event | None:
        """What an event of pygame means, if it is a gamepad's.

        One that is plugged in is opened; the car waits for one that is pulled out.
        """
        if event.type == pygame.CONTROLLERDEVICEADDED:
            self._pads.append(self._open(event.device_index))
        elif event.type == pygame.CONTROLLERDEVICEREMOVED:
            self._pads = [pad for pad in self._pads if pad.attached()]
            return Event.HANDS_OFF
        elif event.type == pygame.CONTROLLERBUTTONDOWN:
            return EVENTS.get(event.button, Event.OTHER)
        return None

    def held(self, hands: Hands) -> Hands:
        """The same hands, on the gamepad too."""
        if not self._pads:
            return hands
        pad = self._pads[-1]
        return replace(
            hands,
            stick=max(pad.get_axis(pygame.CONTROLLER_AXIS_LEFTX) / FULL, -1.0),
            gas_trigger=pad.get_axis(pygame.CONTROLLER_AXIS_TRIGGERRIGHT) / FULL,
            brake_trigger=pad.get_axis(pygame.CONTROLLER_AXIS_TRIGGERLEFT) / FULL,
        )
