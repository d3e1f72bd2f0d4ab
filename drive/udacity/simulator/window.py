"""A window that shows frames and reads keys."""

import os
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from drive.udacity.frame_shape import HEIGHT, WIDTH, Frame
from drive.udacity.simulator.errors import SimulatorError

SCALE = 3
"""Pixels of the window, along a side, for one of the frame."""
RATE = 60
"""Frames a second at most."""


@dataclass(frozen=True)
class Keys:
    """Which keys are held."""

    left: bool = False
    right: bool = False
    gas: bool = False
    brake: bool = False


class Window:
    """A window while it is entered.

    Attributes:
        closed: Whether the user has closed it.

    Raises:
        SimulatorError: When entered without a display.
    """

    def __init__(self, title: str) -> None:
        self.closed = False
        self._title = title

    def __enter__(self) -> Self:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        import pygame  # noqa: PLC0415 - slow, and only people need it

        self._pygame = pygame
        try:
            pygame.display.init()
            self._screen = pygame.display.set_mode((SCALE * WIDTH, SCALE * HEIGHT))
        except pygame.error as fault:
            raise SimulatorError(f"no window can be opened: {fault}") from None
        # Without a display SDL draws where nobody looks, and does not say so.
        if pygame.display.get_driver() == "offscreen" and "SDL_VIDEODRIVER" not in os.environ:
            pygame.display.quit()
            raise SimulatorError("no window can be opened: there is no display")
        pygame.display.set_caption(self._title)
        self._clock = pygame.time.Clock()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pygame.display.quit()

    def read(self) -> tuple[Keys, int]:
        """Which keys are held, and how often R was pressed since the last call."""
        pygame, switches = self._pygame, 0
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.closed = True
            if event.type == pygame.KEYDOWN and event.key == pygame.K_r:
                switches += 1
        held = pygame.key.get_pressed()
        keys = Keys(
            left=held[pygame.K_LEFT] or held[pygame.K_a],
            right=held[pygame.K_RIGHT] or held[pygame.K_d],
            gas=held[pygame.K_UP] or held[pygame.K_w],
            brake=held[pygame.K_DOWN] or held[pygame.K_s],
        )
        return keys, switches

    def show(self, frame: Frame, *, recording: bool) -> None:
        """Shows a frame, with a red dot while it records, and waits until the next is due."""
        pygame = self._pygame
        picture = pygame.surfarray.make_surface(frame.swapaxes(0, 1))
        pygame.transform.scale(picture, self._screen.get_size(), self._screen)
        if recording:
            pygame.draw.circle(self._screen, (230, 30, 30), (24, 24), 12)
        pygame.display.flip()
        self._clock.tick(RATE)
