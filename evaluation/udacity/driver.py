"""A driver of the Udacity simulator made of a policy: it steers, a controller holds the speed."""

import numpy as np

import policies
from drive.carracing.observations import FrameStack
from drive.udacity.frame_shape import FRAME_SHAPE, Frame
from drive.udacity.protocol import Command, Telemetry
from drive.udacity.speed_control import SpeedControl
from evaluation.closed_loop import one_thread
from maps.files.one_line_error import with_kind
from policies import Decision, Policy, PolicyError


class PolicyDriver:
    """Steers as a policy of camera frames does, at a constant speed.

    The same frames and speeds give the same commands, bit for bit.

    Args:
        policy: Of observation kind ``camera``.
        speed_mph: Wanted speed, mph; the car's top speed is 30.
        seed: Of the policy's random draws, at each reset.

    Attributes:
        policy: The policy, with every decision checked.
        decision: Its latest decision, None after a reset.

    Raises:
        PolicyError: If the policy reads another kind of observation, or cannot decide on a frame;
            in one line.
    """

    def __init__(self, policy: Policy, speed_mph: float = 20.0, seed: int = 0) -> None:
        self.policy = policies.checked(policy)
        if policy.observation.kind != "camera":
            raise PolicyError(
                f"{policy.name}: reads {policy.observation.kind}, but the Udacity simulator shows "
                "camera frames (160, 320, 3)"
            )
        self.speed = SpeedControl(speed_mph)
        self.seed = seed
        self._try_out()
        self.reset()

    def reset(self) -> None:
        """Forgets all frames and the speed's history."""
        self.policy.reset(1, self.seed)
        self.speed.reset()
        self.decision: Decision | None = None
        self._stack = FrameStack(1, self.policy.observation.frames, FRAME_SHAPE)

    def drive(self, frame: Frame, telemetry: Telemetry) -> Command:
        """What the policy does at this frame.

        Args:
            frame: RGB uint8 ``(160, 320, 3)``.
            telemetry: Of which the speed is read.

        Raises:
            PolicyError: If the decision is none.
        """
        with one_thread():
            self.decision = self.policy.act(self._stack.push(frame[np.newaxis]))
        steering = float(self.decision.action[0, 0])
        return Command(steering, self.speed.throttle(telemetry.speed))

    def _try_out(self) -> None:
        """Has a frame decided on: faults show, and a network's slow first call is over."""
        try:
            self.reset()
            self.drive(np.zeros(FRAME_SHAPE, dtype=np.uint8), Telemetry(0.0, 0.0, 0.0, b""))
        except PolicyError:
            raise
        except (Exception, SystemExit) as fault:  # a user's policy may raise anything
            raise PolicyError(
                f"{self.policy.name}: cannot decide on a frame {FRAME_SHAPE}: {with_kind(fault)}"
            ) from fault
