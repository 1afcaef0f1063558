"""Search for files that a reader does not refuse by a sentence, guided by the lines that they reach: `make fuzz`.

    python tests/fuzz/fuzz_readers.py --inputs 1000000 --folder /tmp/mlreduce-fuzz

A run that was stopped goes on where it was. Files that reached something new stay in the folder, and those that are
mistakes of a reader in its `findings`, one for each place in the code. `--reader` runs one reader, in this process: it
is how all of them are run.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path

# Of all inputs, by what one costs: a text is read a thousand times a second, a table or a study a hundred times.
SHARES = {
    "arff": 0.18,
    "mulan-xml": 0.16,
    "svmlight": 0.12,
    "xmc": 0.1,
    "mat": 0.1,
    "sgml": 0.1,
    "npz": 0.06,
    "npz-members": 0.03,
    "csv": 0.04,
    "parquet": 0.02,
    "yaml": 0.04,
    "config": 0.02,
    "catalogue": 0.01,
    "claims": 0.005,
    "study": 0.005,
    "manifest": 0.01,
}
LONGEST = 2**16
MEGABYTES = 1024
# Of one input, by the clock on the wall, until the process is ended. What took more than a second of the processor is
# noted when it ends; libFuzzer knows only the wall's seconds, which a busy machine stretches.
SECONDS_TO_HANG = 600
# Modules whose lines count as reached or not; all others run as fast as ever.
_OF_DATA = ("mlreduce.datasets", "mlreduce.guards")
_WITH_SETTINGS = (
    "mlreduce.configuration",
    "mlreduce.datasets.catalogue",
    "mlreduce_studies.study",
    "mlreduce_studies.verdicts.reading",
    "mlreduce_studies.provenance.manifest",
    "yaml",
)
_OF_SETTINGS = ("yaml", "config", "catalogue", "claims", "study", "manifest")


class Record:
    """What was tried of a reader, and how much of it could be read, kept in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        known = json.loads(path.read_text()) if path.is_file() else {}
        self.inputs: int = known.get("inputs", 0)
        self.read: int = known.get("read", 0)
        self.seconds: float = known.get("seconds", 0.0)
        self.megabytes: int = known.get("megabytes", 0)

    def keep(self) -> None:
        self.megabytes = max(self.megabytes, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
        known = {name: value for name, value in vars(self).items() if name != "path"}
        self.path.with_suffix(".new").write_text(json.dumps(known))
        self.path.with_suffix(".new").replace(self.path)


def run_reader(name: str, inputs: int, folder: Path) -> None:
    """Try one reader on so many inputs more; ends the process."""
    import atheris

    sys.path.insert(0, str(Path(__file__).parents[1]))
    modules = _WITH_SETTINGS if name in _OF_SETTINGS else _OF_DATA
    with atheris.instrument_imports(include=list(modules), enable_loader_override=False):
        import hostile_readers
    warnings.simplefilter("ignore")  # NumPy's and pandas' about odd numbers
    reader = hostile_readers.READERS[name]
    corpus, findings, scratch = folder / name, folder / "findings", Path(hostile_readers.scratch())
    for needed in (corpus, findings):
        needed.mkdir(parents=True, exist_ok=True)
    seeds = reader.seeds()
    for number, seed in enumerate(seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
        with contextlib.suppress(AssertionError):  # what is only imported or compiled at first takes time
            result = hostile_readers.attempt(reader, seed, scratch)
            if number == 0 and isinstance(result, hostile_readers.MLReduceError):
                sys.exit(f"what to begin from cannot be read: {result}")
    words = folder / f"{name}.words"
    words.write_text("".join(map(quoted, reader.words)))
    record = Record(folder / f"{name}.json")
    limit_memory()
    started, last = time.process_time(), record.inputs + inputs

    def try_one(content: bytes) -> None:
        nonlocal started
        try:
            result = hostile_readers.attempt(reader, content, scratch)
            record.read += not isinstance(result, hostile_readers.MLReduceError)
        except Exception as error:  # noqa: BLE001 (any is a mistake of the reader)
            note(error, content, findings, name)
        record.inputs += 1
        if record.inputs % 500 == 0 or record.inputs == last:
            now = time.process_time()
            record.seconds, started = record.seconds + now - started, now
            record.keep()

    arguments = [
        *(sys.argv[0], str(corpus), f"-runs={inputs}", f"-dict={words}", f"-artifact_prefix={findings}/{name}-"),
        *(f"-max_len={LONGEST}", f"-timeout={SECONDS_TO_HANG}", f"-report_slow_units={SECONDS_TO_HANG}"),
        *(f"-rss_limit_mb={2 * MEGABYTES}", f"-seed={record.inputs + 1}", "-verbosity=0"),
        "-mutate_depth=2",  # of more changes at once, the first is all that is noticed
    ]

    def changed(content: bytes, longest: int, number: int) -> bytes:
        chance = random.Random(number)
        if chance.random() < 0.5:
            return bytes(atheris.Mutate(content, longest))
        # What reached something new is mostly refused, so that more of it goes no further: begin anew as often.
        return spoilt(chance.choice([content, chance.choice(seeds)]), reader.words, chance)[:longest]

    atheris.Setup(arguments, try_one, custom_mutator=changed)
    atheris.Fuzz()


def spoilt(content: bytes, words: Sequence[bytes], chance: random.Random) -> bytes:
    """Change one word or mark; what is changed byte by byte alone is seldom more than the beginning of a file."""
    pieces = re.findall(rb"\w+|\s+|.", content, re.DOTALL)
    place = chance.randrange(len(pieces) + 1)
    pieces[place : place + chance.choice([0, 1, 1, 2])] = [chance.choice([*words, *pieces[:1000], b""])]
    return b"".join(pieces)


def quoted(word: bytes) -> str:
    """Return a word as a line of libFuzzer's dictionary, which takes short ones only."""
    return '"' + "".join(f"\\x{byte:02x}" for byte in word[:60]) + '"\n'


def limit_memory() -> None:
    """Let nothing reserve more than a gigabyte beside what the libraries have already."""
    held = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmData"))
    limit = int(held.split()[1]) * 1024 + MEGABYTES * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def note(error: Exception, content: bytes, findings: Path, name: str) -> None:
    """Keep the shortest input for each kind of mistake and place in the code."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{type(error).__name__} {[(frame.name, frame.lineno) for frame in frames[-3:]]}"
    path = findings / f"{name}-{hashlib.sha256(place.encode()).hexdigest()[:8]}"
    if not path.is_file() or len(content) < path.stat().st_size:
        path.write_bytes(content)
        path.with_suffix(".txt").write_text("".join(traceback.format_exception(error)))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--inputs", type=int, default=1_000_000, help="of all readers together")
    options.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "mlreduce-fuzz")
    options.add_argument("--reader", choices=SHARES)
    chosen = options.parse_args()
    if chosen.reader:
        run_reader(chosen.reader, chosen.inputs, chosen.folder)
    print(f"{'reader':12} {'inputs':>9} {'read':>8} {'seconds':>8} {'MB':>5}", flush=True)
    ended = []
    total = 0
    for name, share in SHARES.items():
        wanted = round(share * chosen.inputs)
        missing = wanted - Record(chosen.folder / f"{name}.json").inputs
        if missing > 0:
            command = [sys.executable, __file__, "--reader", name, "--inputs", str(missing), "--folder", chosen.folder]
            chosen.folder.mkdir(parents=True, exist_ok=True)
            with (chosen.folder / f"{name}.log").open("w") as log:
                if subprocess.run(command, stdout=log, stderr=log, check=False).returncode:
                    ended.append(name)
        record = Record(chosen.folder / f"{name}.json")
        total += record.inputs
        print(f"{name:12} {record.inputs:9} {record.read:8} {record.seconds:8.0f} {record.megabytes:5}", flush=True)
    compared = Path(__file__).parents[1] / "differential.py"
    differ = subprocess.run([sys.executable, compared, "--files", str(chosen.inputs // 10)], check=False).returncode
    found = sorted(path for path in (chosen.folder / "findings").glob("*") if path.suffix != ".txt")
    print(f"{total} inputs, {len(found)} mistakes of readers" + "".join(f"\n  {path}" for path in found))
    for name in ended:
        print(f"{name}: the process ended; the reason is in {chosen.folder / name}.log")
    return 1 if found or ended or differ else 0


if __name__ == "__main__":
    sys.exit(main())
