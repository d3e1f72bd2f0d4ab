"""A person's cockpit: one pygame window, its keys, and whatever gamepads are plugged in."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pygame
from pygame._sdl2 import controller

from recorders.config import RecordError
from recorders.human import keyboard, messages
from recorders.human.cockpit import Inputs, View
from recorders.human.gamepad import Gamepads
from recorders.human.instruments import Instruments
from recorders.human.session import Event
from recorders.human.windscreen import SIZE, Windscreen

if TYPE_CHECKING:
    from drive.carracing.world import CarRacingWorld

UNSEEN = ("dummy", "offscreen")
"""SDL's drivers for windows that nobody sees, the second of which it takes without being asked."""
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
"""One of them says where Linux has a display."""


class Window:
    """The window; made by `opened`.

    Attributes:
        surface: What it shows.
    """

    def __init__(self, title: str) -> None:
        self._name = title
        pygame.display.set_caption(title)
        self.surface = pygame.display.set_mode(SIZE, pygame.SCALED | pygame.RESIZABLE)
        self._windscreen = Windscreen()
        self._instruments = Instruments()
        self._gamepads = Gamepads()

    def look(self) -> Inputs:
        """What the person did since the last look, and holds now."""
        events = [self._meaning(event) for event in pygame.event.get()]
        hands = self._gamepads.held(keyboard.hands())
        return Inputs(tuple(event for event in events if event is not None), hands)

    def show(self, world: "CarRacingWorld", view: View) -> None:
        """Draws world and instruments."""
        self.surface.blit(self._windscreen.picture(world), (0, 0))
        self._instruments.draw(self.surface, view)
        self._name_window(view)
        pygame.display.flip()

    def _name_window(self, view: View) -> None:
        """Says in the list of windows, too, how the recording stands."""
        name = f"{self._name}, {view.title}: {messages.LAMPS[view.state.phase].lower()}"
        if pygame.display.get_caption()[0] != name:
            pygame.display.set_caption(name)

    def _meaning(self, event: pygame.event.Event) -> Event | None:
        if event.type == pygame.QUIT:
            return Event.CLOSED
        if event.type == pygame.WINDOWFOCUSLOST:
            return Event.HANDS_OFF
        if event.type == pygame.KEYDOWN:
            return keyboard.event(event.key)
        return self._gamepads.event(event)


@contextmanager
def opened(title: str) -> Iterator[Window]:
    """Opens the window.

    Raises:
        RecordError: There is no display.
    """
    find_display()
    controller.init()
    try:
        yield Window(title)
    finally:
        controller.quit()
        pygame.display.quit()


def find_display() -> None:
    """Makes pygame ready to open a window.

    Raises:
        RecordError: There is no display; SDL would draw into the void rather than say so.
    """
    found = "neither DISPLAY nor WAYLAND_DISPLAY is set"
    if sys.platform != "linux" or any(os.environ.get(name) for name in DISPLAYS):
        try:
            pygame.display.init()
            found = pygame.display.get_driver()
            if found not in UNSEEN:
                return
        except pygame.error as error:
            found = str(error)
        pygame.display.quit()
    raise RecordError(
        f"no display for a person to drive at ({found}): run it on a desktop, or through ssh -X, "
        "and without SDL_VIDEODRIVER"
    )
