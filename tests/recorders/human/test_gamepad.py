"""Gamepads that come and go, and keys; without either at hand."""

import pygame
import pytest

from recorders.human import keyboard
from recorders.human.controls import Hands
from recorders.human.gamepad import Gamepads
from recorders.human.session import Event


class FakePad:
    """A gamepad whose axes stand where a test puts them."""

    def __init__(self, device: int) -> None:
        self.device = device
        self.axes: dict[int, int] = {}
        self.plugged = True

    def get_axis(self, axis: int) -> int:
        return self.axes.get(axis, 0)

    def attached(self) -> bool:
        return self.plugged


def test_gamepads_are_plugged_in_and_pulled_out() -> None:
    opened: list[FakePad] = []

    def open_pad(device: int) -> FakePad:
        opened.append(FakePad(device))
        return opened[-1]

    def plug_in(device: int) -> None:
        event = pygame.event.Event(pygame.CONTROLLERDEVICEADDED, device_index=device)
        assert pads.event(event) is None

    pads = Gamepads(open_pad)
    assert pads.held(Hands(gas=True)) == Hands(gas=True)
    plug_in(3)
    opened[0].axes = {
        pygame.CONTROLLER_AXIS_LEFTX: -32768,
        pygame.CONTROLLER_AXIS_TRIGGERRIGHT: 32767,
    }
    assert pads.held(Hands(left=True)) == Hands(left=True, stick=-1, gas_trigger=1)
    plug_in(4)
    opened[1].axes = {pygame.CONTROLLER_AXIS_TRIGGERLEFT: 16384}
    assert pads.held(Hands()) == Hands(brake_trigger=16384 / 32767)
    assert [pad.device for pad in opened] == [3, 4]
    opened[1].plugged = False
    pulled = pygame.event.Event(pygame.CONTROLLERDEVICEREMOVED, instance_id=9)
    assert pads.event(pulled) is Event.HANDS_OFF
    assert pads.held(Hands()) == Hands(stick=-1, gas_trigger=1)


@pytest.mark.parametrize(
    ("button", "meaning"),
    [
        (pygame.CONTROLLER_BUTTON_START, Event.PAUSE),
        (pygame.CONTROLLER_BUTTON_B, Event.DISCARD),
        (pygame.CONTROLLER_BUTTON_LEFTSTICK, Event.OTHER),
    ],
)
def test_buttons_are_commands(button: int, meaning: Event) -> None:
    event = pygame.event.Event(pygame.CONTROLLERBUTTONDOWN, button=button)
    assert Gamepads(FakePad).event(event) is meaning


@pytest.mark.parametrize(
    ("key", "meaning"),
    [
        (pygame.K_w, Event.GO),
        (pygame.K_LEFT, Event.GO),
        (pygame.K_p, Event.PAUSE),
        (pygame.K_r, Event.RESTART),
        (pygame.K_BACKSPACE, Event.DISCARD),
        (pygame.K_n, Event.KEEP),
        (pygame.K_F1, Event.HELP),
        (pygame.K_ESCAPE, Event.LEAVE),
        (pygame.K_x, Event.OTHER),
    ],
)
def test_keys_are_commands(key: int, meaning: Event) -> None:
    assert keyboard.event(key) is meaning
