"""Runs and studies from tables, folders of reports, logs and databases."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from arena.errors import ConfigError, EvaluationError
from arena.files import read_text
from evaluation.analysis import overview
from evaluation.generation.budget import NOT_PLAYED
from evaluation.groups import PEOPLE, is_group, together
from evaluation.log.episodes import NOT_RUN
from evaluation.log.files import find_logs
from evaluation.log.run import RunLog
from evaluation.report_folder import FACTS
from evaluation.results import GROUP, OF_PEOPLE, read_results, refuse_twins, results_frame
from evaluation.scale.scaled import Basis, basis, basis_of
from evaluation.submission import read_submission
from evaluation.suites import DEFAULT, get_suite
from evaluation.summary import RunCard
from report.comparison.runs import Run, played_run

DATABASES = (".db", ".sqlite", ".sqlite3")
"""Endings of files that are read as a study's database."""

_SCHEMES = ("sqlite:", "postgresql:", "postgresql+psycopg:")


def read_run(
    place: str, name: str | None = None, original: bool = False, animal_ai: str | None = None
) -> list[Run]:
    """The runs of a results.csv (or .parquet), a report's folder, a log or several, a submission, a database.

    `place` is a path or a database's URL, with #STUDY where it has several, and #SUITE where people played
    tasks of several suites; `name` replaces the agent's name.
    The participants of a study are one run for each of their groups (see `evaluation.groups`), of which the
    name replaces that of people only.
    `original` claims that the tasks are the original's, for places without their SHA-256; `animal_ai` is the
    version that was played, if the place does not say it.

    Raises EvaluationError, or a StoreError of the database, if it cannot be read.
    """
    if is_database(place):
        results, suite = _of_suite(*study_table(place))
        return _split(together(results), name, _label(place), original, animal_ai, suite)
    path, asked = _path(place)
    if path.suffix == ".json":
        return [_submitted(path, name, original)]
    if path.suffix == ".eval" or (path.is_dir() and not (path / "results.csv").exists()):
        return [_logged(log, name, original) for log in _logs(path)]
    results, said = _table(path)
    version = (said.get("facts") or {}).get("Animal-AI", animal_ai)
    results, suite = _of_suite(results, place, asked, str(said.get("suite", DEFAULT)))
    known = (original or bool(said.get("original")), version, suite, said.get("tasks") or {})
    return _split(together(results), name, place, *known, bases=_bases(said))


def _table(path: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read the results in a table or folder, and further facts of its report."""
    table = path / "results.csv" if path.is_dir() else path
    said = _facts(table.parent / FACTS) if table.stem == "results" else {}
    return read_results(table, worded=said.get("suite", DEFAULT) != DEFAULT), said


def _path(place: str) -> tuple[Path, str]:
    """The path of a place, and the suite that is named behind it."""
    path, _, suite = place.rpartition("#")
    return (Path(path), suite) if path and not Path(place).exists() else (Path(place), "")


class OpenSuite(EvaluationError):
    """A study has tasks of several suites, and none of them is named."""


def _of_suite(
    results: pd.DataFrame, place: str, asked: str, known: str = DEFAULT
) -> tuple[pd.DataFrame, str]:
    """The results of the suite that is asked for, or of the only one; `known` is that of other tables.

    Raises EvaluationError if there is no such suite, and OpenSuite if the choice is open.
    """
    suites = list(results["suite"].unique()) if "suite" in results and any(results["suite"]) else [known]
    suite = asked or suites[0]
    if suite not in suites or (len(suites) > 1 and not asked):
        raise (EvaluationError if asked else OpenSuite)(
            f"{place}: holds trials of {', '.join(suites)}; name one, such as "
            f"{place.removesuffix(f'#{asked}')}#{suites[-1]}"
        )
    part = results[results["suite"] == suite] if len(suites) > 1 else results
    return part.astype({GROUP: "int64"}) if suite == DEFAULT else part, suite


def read_runs_apart(
    places: Sequence[tuple[str | None, str]], original: bool = False, animal_ai: str | None = None
) -> list[Run]:
    """Several runs, each a name (or None) and a place, as `read_run` takes them.

    Raises EvaluationError if two hold agents of the same name.
    """
    found = [(run, place) for name, place in places for run in read_run(place, name, original, animal_ai)]
    refuse_twins((run.agent, place) for run, place in found)
    return [run for run, _ in found]


def is_database(place: str) -> bool:
    """Return whether a place is a database of people's data, by its name."""
    return place.startswith(_SCHEMES) or Path(place.partition("#")[0]).suffix in DATABASES


def study_table(place: str) -> tuple[pd.DataFrame, str, str]:
    """The results of a study of a database, of all suites; the place, and the suite that it names."""
    from people.store import Store
    from people.store.export import people_results

    where, study, suite, *_ = (*place.split("#"), "", "")
    url = where if where.startswith(_SCHEMES) else f"sqlite:///{where}"
    with Store(url, create=False) as store:
        study = study or _only(store.studies(), place)
        results = people_results(store, study)
    if results.empty:
        raise EvaluationError(f"{_label(place)}: holds no trial of this study, practice left out")
    return results, _label(f"{where}#{study}{f'#{suite}' if suite else ''}"), suite


def studies_at(places: Sequence[str]) -> dict[str, pd.DataFrame]:
    """The whole tables of the studies among places, by name: of databases and of exports."""
    found = {}
    for place in places:
        path, _ = _path(place)
        if is_database(place):
            results, label, suite = study_table(place)
            found[label.removesuffix(f"#{suite}")] = results
        elif path.suffix in ("", ".csv", ".parquet") and (path.is_file() or (path / "results.csv").is_file()):
            results, _ = _table(path)
            if set(OF_PEOPLE) <= set(results):
                found[str(path)] = results
    return found


def overviews(places: Sequence[str]) -> pd.DataFrame:
    """The `overview` of each study at places, with its name in the column `study`."""
    parts = [overview(results).assign(study=name) for name, results in studies_at(places).items()]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _only(studies: Sequence[str], place: str) -> str:
    if len(studies) == 1:
        return studies[0]
    known = f"name one of {', '.join(studies)} as {_label(place)}#STUDY" if studies else "it has none yet"
    raise EvaluationError(f"{_label(place)}: holds {len(studies)} studies; {known}")


def _label(place: str) -> str:
    """Name a database, without the password of its URL."""
    return place.rpartition("/")[2].partition("?")[0]


def _split(
    results: pd.DataFrame,
    name: str | None,
    place: str,
    original: bool,
    animal_ai: str | None,
    suite: str = DEFAULT,
    digests: Mapping[str, str] = {},
    bases: Mapping[str, Basis] = {},
) -> list[Run]:
    agents = list(results["agent"].unique())
    names = {agent: name or agent for agent in agents}
    if name and any(map(is_group, agents)):
        names = {each: name + each.removeprefix(PEOPLE) if is_group(each) else each for each in agents}
    elif name and len(agents) > 1:
        raise EvaluationError(f"{place}: holds {len(agents)} agents, but {name!r} can name only one")
    parts = [results[results["agent"] == agent] for agent in agents]
    return [
        played_run(
            part.assign(agent=names[agent]).reset_index(drop=True),
            *(original, _version(part) or animal_ai),
            suite=suite,
            digests=_digests(part) or digests,
            basis=bases.get(agent),
            partial=_partial(part),
        )
        for agent, part in zip(agents, parts, strict=True)
    ]


def _partial(results: pd.DataFrame) -> str:
    """Describe a table of a run that did not end, by the trials that were never begun; empty if none."""
    errors = results["error"].dropna() if "error" in results else ()
    count = sum(error.startswith(NOT_RUN) or NOT_PLAYED in error for error in errors)
    return f"Partial run: {count} of {len(results)} planned trials were not run." if count else ""


def _version(results: pd.DataFrame) -> str | None:
    """The version of Animal-AI that people's results were all played with; None if unknown."""
    versions = set(results.get("animal_ai", ()))
    return (versions.pop() or None) if len(versions) == 1 else None


def _digests(results: pd.DataFrame) -> dict[str, str]:
    """The SHA-256 of the tasks of people's results; empty unless each is known and the same throughout."""
    if "task_sha256" not in results:
        return {}
    pairs = set(results[["task_id", "task_sha256"]].itertuples(index=False, name=None))
    digests = dict(pairs)
    return digests if len(digests) == len(pairs) and all(digests.values()) else {}


def _logs(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    try:
        return find_logs([path])
    except EvaluationError:
        raise EvaluationError(
            f"{path}: neither a report (results.csv) nor logs (*.eval) are in this folder"
        ) from None


def _logged(path: Path, name: str | None, original: bool) -> Run:
    log = RunLog(path, name)
    results = results_frame(log.results())
    if results.empty:
        raise EvaluationError(f"{path}: holds no planned trial")
    version = getattr(log.choices, "animal_ai", None)
    known = {"partial": log.partial, "suite": log.suite.name, "digests": log.digests, "basis": basis_of(log)}
    return played_run(results, original, version, **known)


def _submitted(path: Path, name: str | None, original: bool) -> Run:
    made = read_submission(path)
    card, results = made.card, made.frame()
    digests = {task: digest for task, digest in card.tasks.items() if digest is not None}
    results = results.assign(agent=name or card.agent)
    known = {"partial": card.partial, "suite": card.suite, "basis": _submitted_basis(card)}
    return played_run(results, original, card.choices.get("animal_ai"), digests=digests, **known)


def _submitted_basis(card: RunCard) -> Basis | None:
    try:
        return basis(get_suite(card.suite), card.task_version, card.scoring, card.choices)
    except ConfigError:
        return None


def _bases(said: Mapping[str, Any]) -> dict[str, Basis]:
    """Read the references that hold for each agent of a report; skip anything else."""
    found = said.get("bases")
    whole = {"tasks", "scoring", "conditions"}
    return {
        agent: Basis(**each)
        for agent, each in (found.items() if isinstance(found, dict) else ())
        if isinstance(each, dict) and each.keys() == whole
    }


def _facts(path: Path) -> dict[str, Any]:
    """Read a report's facts besides its results; nothing if the file is absent or of another kind."""
    try:
        found = json.loads(read_text(path))
    except (ConfigError, ValueError, RecursionError):
        return {}
    parts = (found.get(key) or {} for key in ("facts", "tasks")) if isinstance(found, dict) else [()]
    return found if all(isinstance(part, dict) for part in parts) else {}
