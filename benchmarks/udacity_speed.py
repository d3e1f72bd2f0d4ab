"""How fast the stand-in for the Udacity simulator is: frames per second of one core in lock-step.

A frame is what one reply of a controller asks for: 0.06 s of physics, the picture, its JPEG and the
telemetry's text; a row of a recording is 0.07 s of physics, three pictures and their JPEGs. Neither
network nor policy is included. Processor time counts, so that other programs disturb less.

    python benchmarks/udacity_speed.py --json benchmarks/results/udacity_speed.json
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
import tyro
from rich.console import Console
from rich.table import Table

from drive.udacity.frames import encode
from drive.udacity.protocol import Command, Telemetry, write_telemetry
from drive.udacity.simulator import Simulator
from drive.udacity.simulator.cabin import Cabin
from drive.udacity.simulator.course_names import CourseName
from drive.udacity.simulator.courses import COURSES
from drive.udacity.simulator.scripted import ScriptedDriver
from drive.udacity.simulator.vehicle import TICK


@dataclass(frozen=True)
class Options:
    """What to measure.

    Attributes:
        json: Also write the results to this file.
        frames: Of each course and repetition, spread over a lap.
        repetitions: Of each course; the median counts.
    """

    json: Path | None = None
    frames: int = 300
    repetitions: int = 5


@dataclass(frozen=True)
class Result:
    """Of one course, on one core.

    Attributes:
        course: Its name.
        frames_per_second: In lock-step, JPEG included.
        picture_ms: Drawing alone.
        jpeg_ms: Encoding alone.
        jpeg_bytes: Mean size of a JPEG.
        rows_per_second: Of a recording, three cameras each.
    """

    course: CourseName
    frames_per_second: float
    picture_ms: float
    jpeg_ms: float
    jpeg_bytes: int
    rows_per_second: float


def seconds_each(work: Callable[[], object], places: Callable[[int], object], count: int) -> float:
    """Mean processor time of some work, done at places all round the lap."""
    spent = 0.0
    for number in range(count):
        places(number)
        start = time.process_time()
        work()
        spent += time.process_time() - start
    return spent / count


def measure(course: CourseName, options: Options) -> Result:
    """Measures one course."""
    simulator = Simulator(course)
    cabin, driver = Cabin(simulator), ScriptedDriver(simulator.track)
    sizes: list[int] = []

    def place(number: int) -> None:
        simulator.reset(number * simulator.track.length / options.frames)

    def reply() -> None:
        cabin.take(Command(*driver.drive(simulator.state)))
        cabin.advance(3)
        telemetry = cabin.telemetry()
        assert isinstance(telemetry, Telemetry)
        sizes.append(len(telemetry.image))
        write_telemetry(telemetry)

    def row() -> None:
        simulator.step(0.0, 0.5, 4 * TICK)
        for frame in simulator.frames():
            encode(frame)

    def median(work: Callable[[], object], count: int) -> float:
        runs = [seconds_each(work, place, count) for _ in range(options.repetitions)]
        return float(np.median(runs))

    for work in (reply, row):
        work()
    picture = simulator.frame()
    return Result(
        course,
        round(1.0 / median(reply, options.frames), 1),
        round(1e3 * median(simulator.frame, options.frames), 2),
        round(1e3 * median(lambda: encode(picture), options.frames), 2),
        round(float(np.mean(sizes))),
        round(1.0 / median(row, options.frames // 3), 1),
    )


def main() -> None:
    """Measures and prints both courses."""
    options = tyro.cli(Options, description=__doc__)
    cv2.setNumThreads(1)
    results = [measure(course, options) for course in COURSES]
    table = Table(*Result.__dataclass_fields__)
    for result in results:
        table.add_row(*map(str, asdict(result).values()))
    Console().print(table)
    if options.json is not None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        found = [asdict(result) for result in results]
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
