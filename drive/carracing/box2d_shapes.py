"""Shapes that Box2D's Python binding would never free.

A shape that is given to a fixture definition is taken from Python's hands, though the definition
does not free it either and Box2D copies it: 304 bytes are lost each time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from Box2D.b2 import fixtureDef
from gymnasium.envs.box2d import car_dynamics


@contextmanager
def shapes_of_cars_freed() -> Iterator[None]:
    """Lets gymnasium build its car, of eight shapes, without a loss."""
    names: dict[str, Any] = vars(car_dynamics)
    before = names["fixtureDef"]
    names["fixtureDef"] = _definition
    try:
        yield
    finally:
        names["fixtureDef"] = before


def take_shape(definition: Any) -> None:  # noqa: ANN401 - Box2D is untyped
    """Gives the shape of a fixture definition back to Python, to be freed with the definition."""
    definition.taken = definition.shape
    definition.taken.thisown = True


def _definition(**values: Any) -> Any:  # noqa: ANN401 - Box2D is untyped
    definition = fixtureDef(**values)
    take_shape(definition)
    return definition
