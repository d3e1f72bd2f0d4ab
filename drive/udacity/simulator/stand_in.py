"""The whole stand-in as one program: what it can be asked for, and doing it."""

import asyncio

from drive.udacity.simulator.cabin import Cabin, Summary
from drive.udacity.simulator.client import Client
from drive.udacity.simulator.config import StandInConfig
from drive.udacity.simulator.keyboard import drive_by_keys
from drive.udacity.simulator.recording import RecordingConfig, RecordingSummary, record
from drive.udacity.simulator.scripted import ScriptedDriver
from drive.udacity.simulator.side_channel import open_side_channel
from drive.udacity.simulator.simulator import Simulator
from maps.files.locks import locked_folder


def run(config: StandInConfig) -> Summary | RecordingSummary:
    """Does what is asked for, until it is over.

    Raises:
        SimulatorError: The configuration cannot be.
        drive.udacity.driving_log.DrivingLogError: The recording cannot be written.
        maps.files.locks.LockedError: Another process writes to its folder.
        OSError: The folder cannot be written.
    """
    config.check()
    if config.mode == "training":
        assert config.out is not None
        recording = RecordingConfig(
            config.out, config.track, config.laps, config.scripted, config.disturbance_seed,
            config.seed, config.start,
        )  # fmt: skip
        with locked_folder(config.out):
            return drive_by_keys(recording) if config.driver == "keyboard" else record(recording)
    simulator = Simulator(config.track, "autonomous", config.seed)
    driver = None
    if config.driver == "scripted":
        driver = ScriptedDriver(simulator.track, config.scripted)
    simulator.frame()  # compiles the renderer before anybody waits for it
    cabin = Cabin(simulator, driver, config.manual, config.decimal)
    with open_side_channel(config.report) as side_channel:
        return asyncio.run(Client(cabin, config.client, side_channel).run())
