"""Let scripted participants go through a study whose server is killed, and check all exports.

`python -m benchmarks.people_study --participants 30` takes about five minutes on two cores. Its status is 1
if anything disagrees.
"""

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.people_study.agree import compared_disagreements, disagreements
from benchmarks.people_study.killed import KilledServer, kill_now_and_then
from benchmarks.people_study.script import Diary, ScriptedParticipant, scripts
from people.store import Store
from people.store.export import export
from people.study.plan import Plan, load_plan

STUDY = Path(__file__).parent / "study.yaml"


def play(server: KilledServer, plan: Plan, participants: int, at_once: int) -> list[Diary]:
    """The diaries of the participants, of whom a number are there concurrently."""
    steady, done = threading.Lock(), threading.Event()
    people = [
        ScriptedParticipant(plan.study, server.url, number, script, steady)
        for number, script in enumerate(scripts(participants))
    ]
    killer = threading.Thread(target=kill_now_and_then, args=(server, steady, done))
    killer.start()
    try:
        with ThreadPoolExecutor(at_once) as threads:
            return list(threads.map(lambda person: person.run(), people))
    finally:
        done.set()
        killer.join()


def check(folder: Path, database: str, plan: Plan, diaries: Sequence[Diary]) -> list[str]:
    """What disagrees in exports, `verify` and `compare`."""
    out, name = folder / "data", plan.study.name
    with Store(database) as store:
        done = export(store, name, out, bids=True)
    print(f"Exported: {done.summary()}")
    found = list(disagreements(out, plan, diaries))
    finished = sum(len(list(path.iterdir())) for path in (out / "recordings").iterdir())
    verified = _command("verify", str(out / "recordings"))
    print(verified.stdout.strip().splitlines()[-1])
    found += [f"verify: {verified.stdout}{verified.stderr}"] if verified.returncode else []
    found += [f"verify: {finished} recordings"] if finished != done.recordings else []
    sources = (f"people={out}", f"database={database.removeprefix('sqlite:///')}#{name}")
    compared = _command("compare", *sources, "--with", "children", "--out", str(folder / "compared"))
    if compared.returncode:
        return [*found, f"compare: {compared.stderr}"]
    table = folder / "compared" / "levels.csv"
    return [*found, *compared_disagreements(out, table, ("people", "database"))]


def _command(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "arena_llm", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.people_study", description=__doc__)
    parser.add_argument("--participants", type=int, default=30)
    parser.add_argument("--at-once", type=int, default=8, help="participants who are there concurrently")
    parser.add_argument("--workers", type=int, default=2, help="worker processes of the server")
    chosen = parser.parse_args()
    began, plan = time.monotonic(), load_plan(STUDY)
    with tempfile.TemporaryDirectory(prefix="people-study-") as folder:
        database = f"sqlite:///{folder}/study.db"
        with KilledServer(STUDY, database, chosen.workers) as server:
            diaries = play(server, plan, chosen.participants, chosen.at_once)
            kills = server.kills
        ends = Counter(
            "refused" if not each.agreed else "left" if each.left else "completed" for each in diaries
        )
        print(f"{len(diaries)} participants in {(time.monotonic() - began) / 60:.1f} minutes: {dict(ends)}")
        print(f"Killed with -9: {kills}")
        found = check(Path(folder), database, plan, diaries)
    for problem in found:
        print(f"Disagrees: {problem}")
    print(f"{len(found)} disagreements")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
