"""Kills record, train, evaluate and study at random moments, and compares what they come to.

``python -m tests.reliability.kills --kills 50`` kills each command fifty times with SIGKILL,
resumes it until it is done, and writes the counts into ``docs/reliability.md``. Half of the runs
have two worker processes; of half of the runs the whole process group is killed, of the others the
parent alone. ``--interrupt`` sends Ctrl+C instead. Interrupted itself, it goes on where it stopped.
"""

import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from maps.faults import INTERRUPTED as EXIT_INTERRUPTED
from nsac_core.benchmarks.page import fill_blocks, names_of_blocks
from tests.reliability.killed_commands import NAME, RECORD, ROOT, STUDY_FILE, TARGETS, Target, Units

POLL = 0.01
"""Seconds between two looks at the units."""
SPARED = 0.3
"""Share of the resumed processes that are left in peace, so that runs come to an end."""
ENDS = 60.0
"""Seconds in which a command ends after Ctrl+C, on a busy machine."""
INTERRUPTED = "interrupted: the same command goes on where it stopped\n"
ORPHANS_END = 15.0
"""Seconds that worker processes may outlive their parent; they look once they have begun."""
BLOCK = "kills"


@dataclass(frozen=True)
class KillsConfig:
    """How often what is killed.

    Attributes:
        commands: Which.
        kills: Of each command.
        out: Folder of the runs and of the counts.
        page: Page whose table is written; None writes none.
        seed: Of the moments.
        interrupt: Send SIGINT to the process group, as Ctrl+C does, instead of SIGKILL.
    """

    commands: tuple[str, ...] = tuple(TARGETS)
    kills: int = 50
    out: Path = Path("runs/kills")
    page: Path | None = ROOT / "docs" / "reliability.md"
    seed: int = 0
    interrupt: bool = False

    def covers(self, chain: "Chain") -> bool:
        """Whether a chain is one of those asked for."""
        return chain.command in self.commands and (chain.how == "interrupt") == self.interrupt


@dataclass
class Chain:
    """One run, killed again and again until it is done.

    Attributes:
        command: Its name.
        number: Of the chain.
        workers: Processes.
        how: ``group`` with its workers, ``parent`` alone, or ``interrupt``.
        units: At each kill, how many were finished.
        again: Units that were computed a second time.
        lost: Finished units that were gone.
        orphans: Processes that were still there in the end.
        said: What a command said after Ctrl+C, where that is not the one line, or ended otherwise.
        equal: Whether the result is that of an uninterrupted run.
    """

    command: str
    number: int
    workers: int
    how: str
    units: list[int] = field(default_factory=list)
    again: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    orphans: int = 0
    said: list[str] = field(default_factory=list)
    equal: bool = False

    @property
    def sound(self) -> bool:
        """Whether everything is as promised."""
        return self.equal and not (self.again or self.lost or self.orphans or self.said)


class Killer:
    """Runs one command, with and without kills."""

    def __init__(self, target: Target, root: Path) -> None:
        self.target, self.root = target, root
        self.reference = root / f"{target.name}-uninterrupted"
        self.expected, self.times = self._uninterrupted()

    def chain(self, number: int, config: KillsConfig, most: int) -> Chain:
        """Kills a new run at random moments, at most so many times, until it is done."""
        rng = random.Random(f"{self.target.name} {number} {config.seed}")
        workers = 1 + number % 2 if self.target.workers else 1
        how = "interrupt" if config.interrupt else ("group", "parent")[number // 2 % 2]
        chain = Chain(self.target.name, number, workers, how)
        folder = self._empty(f"{self.target.name}-{number}")
        sessions = []
        seen: Units = {}
        while True:
            spared = len(chain.units) >= most or (chain.units and rng.random() < SPARED)
            moment = (math.inf, 0.0) if spared else self._moment(rng, len(seen))
            process = self._start(folder, chain.workers)
            sessions.append(process.pid)
            if not self._watch(process, folder, moment, chain, seen):
                break
        chain.orphans = _still_there(sessions)
        chain.equal = process.returncode == 0 and self.target.result(folder) == self.expected
        if chain.sound:
            shutil.rmtree(folder)
        return chain

    def _moment(self, rng: random.Random, done: int) -> tuple[float, float]:
        """When to kill: after so many units, and seconds into the next, or into the end."""
        units = rng.randint(done, self.target.total)
        return units, rng.uniform(0, self.times[units + 1] - self.times[units])

    def _watch(
        self,
        process: "subprocess.Popen[bytes]",
        folder: Path,
        moment: tuple[float, float],
        chain: Chain,
        seen: Units,
    ) -> bool:
        """Looks at the units until the process ends; returns whether it was killed."""
        reached = None
        while process.poll() is None:
            found = self.target.units(folder)
            chain.again += [name for name in found if name in seen and found[name] != seen[name]]
            seen |= found
            if reached is None and len(seen) >= moment[0] and _is_at_work(process.pid, folder):
                reached = time.monotonic()
            if reached is not None and time.monotonic() >= reached + moment[1]:
                if not _kill(process, chain, folder.with_suffix(".err")):
                    return False
                self._count(folder, chain, seen)
                return True
            time.sleep(POLL)
        return False

    def _count(self, folder: Path, chain: Chain, seen: Units) -> None:
        """What is left after a kill; units may be gone where they were joined into the result."""
        found = self.target.units(folder)
        joined = self.target.joined is not None and (folder / self.target.joined).is_file()
        chain.lost += [] if joined else sorted(seen.keys() - found.keys())
        seen |= found
        chain.units.append(self.target.total if joined else len(found))

    def _uninterrupted(self) -> tuple[object, list[float]]:
        """What the command comes to in peace; seconds until each unit is done, and until all is."""
        facts = self.reference.with_suffix(".json")
        if not facts.is_file():
            folder = self._empty(self.reference.name)
            process = self._start(folder, 1)
            times: list[float] = []
            seen: Units = {}
            while process.poll() is None:
                seen |= self.target.units(folder)
                if times or _is_at_work(process.pid, folder):
                    times += [time.monotonic()] * (1 + len(seen) - len(times))
                time.sleep(POLL)
            assert process.returncode == 0, f"{self.target.name} failed; see {folder}"
            times += [time.monotonic()] * (2 + self.target.total - len(times))
            facts.write_text(json.dumps([moment - times[0] for moment in times]), encoding="utf-8")
        return self.target.result(self.reference), json.loads(facts.read_text(encoding="utf-8"))

    def _start(self, folder: Path, workers: int) -> "subprocess.Popen[bytes]":
        paths = [ROOT / "tests" / "recorders", ROOT / "tests" / "evaluation"]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([*map(str, paths), *filter(None, sys.path)]),
            "OMP_NUM_THREADS": "1",
        }
        log, errors = folder.with_suffix(".log"), folder.with_suffix(".err")
        with log.open("wb") as out, errors.open("wb") as err:
            return subprocess.Popen(
                self.target.command(workers),
                cwd=folder,
                env=environment,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    def _empty(self, name: str) -> Path:
        folder = self.root / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder


def _is_at_work(pid: int, folder: Path) -> bool:
    """Whether the process has taken the lock of its output."""
    with suppress(OSError):
        holders = folder.rglob("*.holder")
        return any(file.read_text(encoding="utf-8").split()[:1] == [str(pid)] for file in holders)
    return False


def _kill(process: "subprocess.Popen[bytes]", chain: Chain, errors: Path) -> bool:
    """Ends a process in the way of its chain; returns False where it was done before."""
    if chain.how == "parent":
        process.kill()
    else:
        number = signal.SIGINT if chain.how == "interrupt" else signal.SIGKILL
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
    try:
        status = process.wait(ENDS)
    except subprocess.TimeoutExpired:
        chain.said.append("does not end")
        os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
    if chain.how == "interrupt" and status != 0:
        said = errors.read_text(encoding="utf-8")
        # What it prints at its end says that all was done and Python itself is ending.
        leaving = status == -signal.SIGINT and not said and errors.with_suffix(".log").read_text()
        if not leaving and (status, said) != (EXIT_INTERRUPTED, INTERRUPTED):
            chain.said.append(f"status {status}: {said}")
    return status != 0


def _still_there(sessions: list[int]) -> int:
    """Processes of these sessions that do not end in time."""
    end = time.monotonic() + ORPHANS_END
    while _alive(sessions) and time.monotonic() < end:
        time.sleep(POLL)
    return _alive(sessions)


def _alive(sessions: list[int]) -> int:
    count = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                status = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
                count += status[0] != "Z" and int(status[3]) in sessions
    return count


def prepare(root: Path, commands: tuple[str, ...]) -> None:
    """What the commands read: the file of a study, and demonstrations for a training."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "study.toml").write_text(STUDY_FILE, encoding="utf-8")
    if "train" not in commands:
        return
    source = Killer(RECORD, root).reference
    shutil.copytree(source / "data", root / "demonstrations", dirs_exist_ok=True)
    assert (root / "demonstrations" / NAME).is_dir()


def chains_of(root: Path) -> list[Chain]:
    """Those that are done."""
    file = root / "chains.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return [Chain(**json.loads(line)) for line in lines]


def new_chains(config: KillsConfig, done: list[Chain]) -> Iterator[Chain]:
    """Kills until each command was killed often enough."""
    for name in config.commands:
        own = [chain for chain in done if chain.command == name and config.covers(chain)]
        left = config.kills - sum(len(chain.units) for chain in own)
        number = sum(chain.command == name for chain in done)
        killer = Killer(TARGETS[name], config.out) if left > 0 else None
        while killer is not None and left > 0:
            chain = killer.chain(number, config, left)
            with (config.out / "chains.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(vars(chain)) + "\n")
            left -= len(chain.units)
            number += 1
            yield chain


def table(chains: list[Chain]) -> str:
    """The counts as Markdown."""
    lines = [
        "| command | kills | before the first unit | between | after the last | units lost | "
        "computed again | runs | ended as uninterrupted |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in TARGETS:
        own = [chain for chain in chains if chain.command == name and chain.how != "interrupt"]
        if not own:
            continue
        when = Counter(
            "first" if units == 0 else "last" if units >= TARGETS[name].total else "between"
            for chain in own
            for units in chain.units
        )
        lost, again = (
            sum(len(getattr(chain, what)) for chain in own) for what in ("lost", "again")
        )
        equal = sum(chain.equal for chain in own)
        cells = [f"`{name}`", when.total(), when["first"], when["between"], when["last"]]
        cells += [lost, again, len(own), equal]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def main(config: KillsConfig) -> int:
    """Kills, shows how far it is, and writes the page; returns 1 where anything was lost."""
    prepare(config.out, config.commands)
    done = chains_of(config.out)
    columns = (TextColumn("killing"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        wanted = config.kills * len(config.commands)
        before = sum(len(chain.units) for chain in done if config.covers(chain))
        task = progress.add_task("", total=wanted, completed=before)
        for chain in new_chains(config, done):
            done.append(chain)
            progress.advance(task, len(chain.units))
            if not chain.sound:
                progress.console.print(f"not as promised: {vars(chain)}", markup=False)
    print(table(done))  # noqa: T201
    if config.page is not None:
        others = [name for name in names_of_blocks(config.page) if name != BLOCK]
        fill_blocks(config.page, {BLOCK: table(done)}, others)
    return 0 if all(chain.sound for chain in done) else 1


if __name__ == "__main__":
    sys.exit(main(tyro.cli(KillsConfig)))
