"""Which key does what."""

from collections.abc import Mapping

import pygame

from recorders.human.controls import Hands
from recorders.human.session import Event

LEFT = (pygame.K_LEFT, pygame.K_a)
RIGHT = (pygame.K_RIGHT, pygame.K_d)
GAS = (pygame.K_UP, pygame.K_w)
BRAKE = (pygame.K_DOWN, pygame.K_s, pygame.K_SPACE)

EVENTS: Mapping[int, Event] = {
    pygame.K_p: Event.PAUSE,
    pygame.K_r: Event.RESTART,
    pygame.K_BACKSPACE: Event.DISCARD,
    pygame.K_n: Event.KEEP,
    pygame.K_RETURN: Event.ENTER,
    pygame.K_KP_ENTER: Event.ENTER,
    pygame.K_h: Event.HELP,
    pygame.K_F1: Event.HELP,
    pygame.K_ESCAPE: Event.LEAVE,
    **dict.fromkeys((*LEFT, *RIGHT, *GAS, *BRAKE), Event.GO),
}


def event(key: int) -> Event:
    """What pressing a key means."""
    return EVENTS.get(key, Event.OTHER)


def hands() -> Hands:
    """The keys that are held in pygame's window."""
    held = pygame.key.get_pressed()
    return Hands(
        left=any(held[key] for key in LEFT),
        right=any(held[key] for key in RIGHT),
        gas=any(held[key] for key in GAS),
        brake=any(held[key] for key in BRAKE),
    )
