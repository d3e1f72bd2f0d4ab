"""Draws the instruments under the picture, and the words over it."""

from typing import Literal

import pygame

from policies.privileged import FULL_LOCK
from recorders.human import messages
from recorders.human.cockpit import View
from recorders.human.messages import Page
from recorders.human.session import Phase
from recorders.human.windscreen import SIZE

Colour = tuple[int, int, int]
STRIP = pygame.Rect(0, SIZE[1] - SIZE[1] // 8, SIZE[0], SIZE[1] // 8)
WHITE, GREY, DARK = (240, 240, 240), (150, 150, 150), (24, 24, 28)
TROUGH, BLUE, GREEN, RED, AMBER = (
    (58, 58, 64),
    (86, 180, 233),
    (0, 158, 115),
    (213, 70, 40),
    (230, 159, 0),
)
COLUMNS = (20, 190, 310, 560, 800)
"""Where time, speed, progress, steering and pedals begin, pixels."""
GAP, LINE = 28, 30
ASIDE = (10, 50)
HEAD, FOOT = STRIP.top + 10, STRIP.top + 46


class Instruments:
    """Draws what a person is told."""

    def __init__(self) -> None:
        pygame.font.init()
        name = pygame.font.get_default_font()
        self._small, self._plain, self._large = (pygame.font.Font(name, n) for n in (15, 20, 34))

    def draw(self, surface: pygame.Surface, view: View) -> None:
        """Draws everything over the world's picture."""
        self._strip(surface, view)
        driving = view.state.phase is Phase.DRIVING
        lamp = RED if driving else AMBER
        self._plate(surface, messages.LAMPS[view.state.phase], "topleft", (10, 8), lamp)
        self._plate(surface, view.title, "topright", (SIZE[0] - 10, 8))
        page = messages.page(view)
        if page is not None:
            panel = self.panel(page)
            middle = panel.get_rect(center=(SIZE[0] // 2, STRIP.top // 2))
            # Aside where the person wants to see the road ahead before going on.
            surface.blit(panel, ASIDE if view.state.phase is Phase.WAITING else middle)
        elif view.notice:
            self._plate(surface, view.notice, "topleft", ASIDE)

    def _strip(self, surface: pygame.Surface, view: View) -> None:
        time, speed, progress, steering, pedals = COLUMNS
        surface.fill(DARK, STRIP)
        self._figure(surface, time, "time, s", messages.seconds(view.steps))
        self._figure(surface, speed, "speed", f"{view.info['speed']:.0f}")
        share = min(max(float(view.info["progress"]), 0.0), 1.0)
        self._label(surface, progress, f"lap {share:.0%}")
        _bar(surface, pygame.Rect(progress, FOOT, 210, 22), 0, share, BLUE)
        self._label(surface, steering, "steering")
        steer, gas, brake = (float(value) for value in view.driven)
        locks = min(max(steer / FULL_LOCK, -1.0), 1.0)
        _bar(surface, pygame.Rect(steering, FOOT, 200, 22), 0.5, (locks + 1) / 2, WHITE)
        for k, (name, value, colour) in enumerate((("gas", gas, GREEN), ("brake", brake, RED))):
            self._label(surface, pedals + 90 * k, name)
            _bar(surface, pygame.Rect(pedals + 90 * k, FOOT, 80, 22), 0, value, colour)
        if view.state.phase is Phase.DRIVING:
            colour = GREY if view.held and not view.left_out else AMBER
            where = (SIZE[0] - 16, STRIP.bottom - 20)
            self._text(surface, self._small, messages.pace(view), where, colour, right=True)

    def _plate(
        self,
        surface: pygame.Surface,
        words: str,
        corner: Literal["topleft", "topright"],
        where: tuple[int, int],
        lamp: Colour | None = None,
    ) -> None:
        """Words on a dark plate, with a lamp before them or without."""
        text = self._plain.render(words, True, WHITE)
        left = 34 if lamp else 12
        plate = pygame.Surface((left + text.get_width() + 12, 32), pygame.SRCALPHA)
        pygame.draw.rect(plate, (*DARK, 225), plate.get_rect(), border_radius=6)
        if lamp:
            pygame.draw.circle(plate, lamp, (18, 16), 8)
        plate.blit(text, (left, 6))
        surface.blit(plate, plate.get_rect(**{corner: where}))

    def panel(self, page: Page) -> pygame.Surface:
        """The box of a page, as large as its words need."""
        keys = max(self._plain.size(key)[0] for key, _ in page.rows) + GAP
        widths = [(keys if key else 0) + self._plain.size(word)[0] for key, word in page.rows]
        width = max(*widths, self._large.size(page.headline)[0]) + 2 * GAP
        panel = pygame.Surface((width, 90 + LINE * len(page.rows)), pygame.SRCALPHA)
        pygame.draw.rect(panel, (*DARK, 225), panel.get_rect(), border_radius=12)
        self._text(panel, self._large, page.headline, (GAP, 24), WHITE)
        for k, (key, meaning) in enumerate(page.rows):
            y = 78 + LINE * k
            self._text(panel, self._plain, key, (GAP, y), AMBER)
            self._text(panel, self._plain, meaning, (GAP + keys if key else GAP, y), WHITE)
        return panel

    def _figure(self, surface: pygame.Surface, x: int, label: str, figure: str) -> None:
        self._label(surface, x, label)
        self._text(surface, self._large, figure, (x, FOOT - 8), WHITE)

    def _label(self, surface: pygame.Surface, x: int, label: str) -> None:
        self._text(surface, self._small, label, (x, HEAD), GREY)

    @staticmethod
    def _text(
        surface: pygame.Surface,
        font: pygame.font.Font,
        words: str,
        where: tuple[int, int],
        colour: Colour,
        *,
        right: bool = False,
    ) -> None:
        """Words that begin, or end, at a point."""
        image = font.render(words, True, colour)
        x, y = where
        surface.blit(image, (x - image.get_width() if right else x, y))


def _bar(
    surface: pygame.Surface,
    area: pygame.Rect,
    start: float,
    end: float,
    colour: Colour,
) -> None:
    """A bar from one share of an area's width to another."""
    pygame.draw.rect(surface, TROUGH, area)
    left, right = sorted((area.left + start * area.width, area.left + end * area.width))
    pygame.draw.rect(
        surface, colour, (round(left), area.top, round(right) - round(left), area.height)
    )
    if start:
        pygame.draw.line(surface, GREY, (area.centerx, area.top), (area.centerx, area.bottom - 1))
