"""How the car answers to a person's hands."""

from dataclasses import dataclass, fields

from maps.limits import check_numbers

STEPS_PER_SECOND = 50
"""Steps of the world in a second of its time."""
SLOWEST, FASTEST = 0.1, 1000.0
"""Limits of ``HumanConfig.speed``: keys are looked at once a step, which must not be seldom."""


@dataclass(frozen=True)
class HumanConfig:
    """The wheel, the pedals and the pace where a person drives; everybody else ignores them.

    Full lock is a steer of 0.4, where the front wheels' joints end; a rate of 6 goes there from
    straight ahead in a sixth of a second.

    Attributes:
        speed: Seconds of the world in a second: 1 is real time, 0.5 slow motion, 0.1 the slowest.
        discard_seconds: How much Backspace takes back, seconds of the world; one step at least.
        steer_rate: Of the steering while its key is held, full locks a second.
        return_rate: Of the steering on its way back to the middle.
        fast_share: What is left of ``steer_rate`` at ``fast_speed`` and above, for at speed the
            same key should turn less.
        fast_speed: In world units a second; two seconds of full gas on a straight come to 85.
        gas_rate: Of the gas while its key is held, full pedals a second.
        brake_rate: The same of the brake.
        release_rate: Of both pedals when their key is let go.
        key_gas: The gas that a held key comes to, at most 1.
        key_brake: The brake that a held key comes to; from 0.9 on the wheels lock.
        dead_zone: Share of a gamepad's stick and triggers that does nothing.
        exponent: Of the stick: above 1, small movements steer more finely.
    """

    speed: float = 1.0
    discard_seconds: float = 5.0
    steer_rate: float = 6.0
    return_rate: float = 9.0
    fast_share: float = 0.5
    fast_speed: float = 80.0
    gas_rate: float = 3.0
    brake_rate: float = 4.0
    release_rate: float = 5.0
    key_gas: float = 1.0
    key_brake: float = 0.8
    dead_zone: float = 0.08
    exponent: float = 1.6

    def check(self) -> None:
        """Checks the fields.

        Raises:
            ValueError: A field is out of its range; the message names it.
        """
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name != "dead_zone" and not 0 < value < float("inf"):
                raise ValueError(f"human.{entry.name} must be positive, not {value}")
        if not SLOWEST <= self.speed <= FASTEST:
            raise ValueError(f"human.speed must lie in [{SLOWEST}, {FASTEST}], not {self.speed}")
        if self.discard_seconds < 1 / STEPS_PER_SECOND:
            raise ValueError(
                f"human.discard_seconds must be at least {1 / STEPS_PER_SECOND}, one step, not "
                f"{self.discard_seconds}"
            )
        for name in ("fast_share", "key_gas", "key_brake"):
            if getattr(self, name) > 1:
                raise ValueError(f"human.{name} must be at most 1, not {getattr(self, name)}")
        if not 0 <= self.dead_zone < 1:
            raise ValueError(f"human.dead_zone must lie in [0, 1), not {self.dead_zone}")
        check_numbers(self, prefix="human.")
