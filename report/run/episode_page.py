"""One episode: replayed, judged, and put on a page of its own."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from arena import ArenaSpec, Event
from arena.errors import ArenaError
from arena.recording import software_versions
from evaluation.generation.budget import NOT_PLAYED
from evaluation.log.episodes import NOT_REACHED, NOT_RUN, LoggedEpisode
from llm_control.choices import ArenaChoices
from llm_control.logged import logged_recording
from report.run.drawings import event_lines, health_curve, way_svg
from report.run.failures import DEFINITIONS, Case, Failure, Replies, signs
from report.run.replay import Look, Trace, replay
from report.run.sent_pictures import Draw, Gallery, PictureBook, Save, Shown, as_given, sent_of

REFUSALS = ("content_filter", "refusal")
"""Why a reply ended, in Inspect's words, where a provider's filter stopped it."""


@dataclass(frozen=True, slots=True)
class Played:
    """A logged episode and, where it could be replayed, its trace; else `problem` says why not.

    `acts` is whether a learned policy acted at every step, and nobody was told or sent anything.
    """

    episode: LoggedEpisode
    spec: ArenaSpec | None
    trace: Trace | None = None
    problem: str | None = None
    gallery: Gallery = field(default_factory=Gallery)
    with_pictures: bool = True
    acts: bool = False

    @property
    def failures(self) -> tuple[Failure, ...]:
        """All kinds of failure that a failed episode shows; empty for others."""
        if self.trace is None or self.spec is None or self.episode.result.passed is not False:
            return ()
        return signs(Case(self.trace, self._replies(), self.spec.pass_mark, self.spec.time_limit))

    def _replies(self) -> Replies:
        turns, stops = self.episode.turns, self.episode.stops
        empty = sum(not str(turn["reply"]).strip() for turn in turns)
        refused = max(sum(stops[reason] for reason in REFUSALS), empty)
        return Replies(len(turns), sum(turn["error"] is not None for turn in turns), refused)


def play(
    episode: LoggedEpisode, spec: ArenaSpec | None, protocol: ArenaChoices, draw: Draw | None, save: Save
) -> Played:
    """Replay an episode; each picture is taken from the log or drawn, saved under its number and forgotten.

    `save` is given a name such as 01.webp and the file's bytes.
    """
    recording = logged_recording(episode)
    if recording is None or spec is None:
        told = None if recording is None else "Its arena is neither in the log nor among the task files."
        gallery = PictureBook(episode, protocol, draw, save).gallery
        return Played(episode, spec, problem=told, gallery=gallery)
    book = PictureBook(episode, protocol, draw, save)
    steps = [int(turn["steps"]) for turn in episode.turns]
    try:
        trace = replay(spec, recording, protocol, steps, book.take)
    except ArenaError as error:
        return Played(episode, spec, problem=str(error), gallery=book.gallery)
    trace.looks = as_given(trace.looks, episode.talk, protocol)
    shown = protocol.shows_images
    told = _difference(trace, episode)
    return Played(episode, spec, trace, told, book.gallery, shown or protocol.acts, protocol.acts)


def _difference(trace: Trace, episode: LoggedEpisode) -> str | None:
    recording = logged_recording(episode)
    assert recording is not None
    told = trace.differs_from(recording)
    if told:
        return f"The replay differs from what was logged ({told}): way, pictures and reason are not exact."
    ends = [trace.moments[last].position for _, last in trace.turns]
    if any(tuple(turn["position"]) != end for turn, end in zip(episode.turns, ends, strict=True)):
        return "The replay ends as logged, but turns begin elsewhere: pictures may belong to other turns."
    return None


def row(played: Played) -> dict[str, Any]:
    """The episode in the tables: `TrialResult`, reason of failure, replies, tokens, price and time."""
    episode = played.episode
    failures = played.failures
    return {
        **asdict(episode.result),
        "failure": str(failures[0]) if failures else None,
        "signs": [str(failure) for failure in failures],
        "status": status(episode),
        "order": episode.place,
        "limit": episode.limit.kind if episode.limit else None,
        "invalid_replies": sum(turn["error"] is not None for turn in episode.turns),
        "mended_replies": sum(bool(turn["repairs"]) for turn in episode.turns),
        "input_tokens": episode.usage.input_tokens,
        "output_tokens": episode.usage.output_tokens,
        "reasoning_tokens": episode.usage.reasoning_tokens,
        "cost_usd": episode.usage.cost,
        "seconds": episode.seconds,
        "replay": "none" if played.trace is None else "differs" if played.problem else "exact",
    }


def status(episode: LoggedEpisode) -> str | None:
    """Why an episode has no verdict, in a few words; None where it has one."""
    result, error = episode.result, episode.result.error or ""
    if result.passed is not None:
        return None
    if episode.limit is not None:
        return f"ended by the {episode.limit.kind} limit"
    if error.startswith((NOT_RUN, NOT_REACHED)) or NOT_PLAYED in error:
        return "not played"
    return "ended by an error" if error else "unmarked"


def turn_rows(episode: LoggedEpisode) -> list[dict[str, Any]]:
    """The episode's turns in the table of turns; metres, degrees."""
    key = {name: getattr(episode.result, name) for name in ("agent", "task_id", "trial")}
    sent = sent_of(episode.talk)
    return [
        {
            **key,
            "order": episode.place,
            **sent.get(int(turn["turn"]), {"pictures_sent": None, "pictures_left_out": None}),
            **{name: turn[name] for name in ("turn", "steps", "health", "reward", "total_reward", "yaw")},
            **dict(zip("xyz", turn["position"], strict=True)),
            "reply": turn["reply"],
            "thoughts": " / ".join(turn["thoughts"]),
            "error": turn["error"],
            "repairs": "; ".join(turn["repairs"]),
            "events": "; ".join(f"{event['kind']} ({event['name']})" for event in turn["events"]),
        }
        for turn in episode.turns
    ]


def page(played: Played, facts: Mapping[str, Any], pictures: str, partial: str | None) -> dict[str, Any]:
    """What the template of an episode's page is given.

    `facts` is the episode's row with the paths of its pages; `pictures` the folder of its pictures, as seen
    from the page; `partial` a sentence on the run, where it is not complete.
    """
    trace, gallery = played.trace, played.gallery
    failure, turns = facts["failure"], len(played.episode.turns)
    ends = gallery.shown.get(None, [])
    return {
        "row": facts,
        "definition": DEFINITIONS[Failure(failure)] if failure else None,
        "warnings": [*([partial] if partial else []), *_warnings(played)],
        "plan": way_svg(trace, facts["task_id"]) if trace else None,
        "curve": health_curve(trace) if trace else None,
        "events": event_lines(trace.events) if trace else [],
        "strip": _strip(played, pictures),
        "in_words": not played.with_pictures,
        "acts": played.acts,
        "turns": [_turn(turn, played, pictures) for turn in played.episode.turns],
        "unplayed": _unplayed(played, turns + 1, pictures),
        "last_picture": f"{pictures}/{ends[-1].file}" if ends else None,
        "provenance": _provenance(played),
    }


def _turn(turn: Mapping[str, Any], played: Played, folder: str) -> dict[str, Any]:
    number = int(turn["turn"])
    looks = [look for look in played.trace.looks if look.turn == number] if played.trace else []
    talk = played.episode.talk
    return {
        "number": number,
        "pictures": _pictures(played.gallery.shown.get(number, []), number, folder),
        "sent": played.gallery.notes.get(number),
        "told": talk.exchanges[number - 1].told if _was_told(played, number) and talk else None,
        "sees": _sees(looks) if played.trace and played.trace.had_goal else None,
        "thoughts": turn["thoughts"],
        "reply": None if played.acts else turn["reply"],
        "error": turn["error"],
        "repairs": turn["repairs"],
        "came": _came(turn),
    }


def _was_told(played: Played, turn: int) -> bool:
    talk = played.episode.talk
    return talk is not None and turn <= len(talk.exchanges) and not played.acts


def _pictures(shown: list[Shown], number: int, folder: str) -> list[dict[str, str]]:
    return [
        {
            "file": f"{folder}/{each.file}",
            "kind": str(each.kind),
            "style": each.style,
            "alt": f"Before turn {number}, {each.kind}",
        }
        for each in shown
    ]


def _unplayed(played: Played, number: int, folder: str) -> dict[str, Any] | None:
    """The view that followed the last turn, and a reply to it that a limit kept from being played."""
    talk, limit = played.episode.talk, played.episode.limit
    shown = played.gallery.shown.get(number, [])
    if limit is None and not shown:
        return None
    return {
        "number": number,
        "pictures": _pictures(shown, number, folder),
        "reply": talk.unplayed.reply if talk and talk.unplayed else None,
    }


def _strip(played: Played, folder: str) -> list[dict[str, str]]:
    turns = len(played.episode.turns)
    return [
        {
            **picture,
            "anchor": "end" if turn is None else f"turn-{turn}",
            "label": "the end" if turn is None else f"turn {turn}" if turn <= turns else "not played",
        }
        for turn, shown in sorted(played.gallery.shown.items(), key=lambda item: item[0] or turns + 2)
        for picture in _pictures(shown, turn or turns + 1, folder)
    ]


def _sees(looks: list[Look]) -> str | None:
    if not looks:
        return None
    if any(look.seen for look in looks):
        return "A goal is in view."
    hidden = any(look.in_view for look in looks)
    return "A goal was in view, but the model was not sent it." if hidden else "No goal in view."


def _came(turn: Mapping[str, Any]) -> str:
    x, _, z = turn["position"]
    events = ", ".join(event_lines(Event(**event) for event in turn["events"]))
    return (
        f"{turn['steps']} steps; health {turn['health']:.1f}; reward {turn['reward']:+.3f}, in total "
        f"{turn['total_reward']:+.3f}; at x {x:.1f}, z {z:.1f}, heading {turn['yaw']:.0f}°."
        + (f" Events: {events}." if events else "")
        + (f" The episode ended: {turn['outcome']}." if turn["done"] else "")
    )


def _warnings(played: Played) -> list[str]:
    episode, result = played.episode, played.episode.result
    warnings = [f"No verdict: {result.error}"] if result.error else []
    if episode.ran_down is not None:
        warnings.append(
            "The limit ended the model's part, not the task: this is no failure. Then the clock ran down, "
            f"to {episode.ran_down.outcome} with a total reward of {episode.ran_down.total_reward:.3f}. "
            "That does not count."
        )
    if played.gallery.dropped:
        warnings.append(
            f"Pictures were dropped: in {played.gallery.dropped} of {len(episode.turns)} turns the model was "
            "not sent all pictures so far. Each turn says which."
        )
    if episode.turns and episode.talk is None:
        warnings.append(
            "What the model was sent cannot be matched to its turns; pictures are drawn again from the "
            "recording."
        )
    if played.problem:
        warnings.append(played.problem)
    recording = logged_recording(played.episode)
    now = software_versions()
    then = recording.versions if recording else {}
    changed = [f"{key} {then[key]}, now {now.get(key, 'none')}" for key in then if then[key] != now.get(key)]
    if played.trace and changed:
        warnings.append(f"Recorded with other versions than it is replayed with ({'; '.join(changed)}).")
    return warnings


def _provenance(played: Played) -> str:
    recording = logged_recording(played.episode)
    if recording is None:
        return "There is no recording of this episode."
    versions = ", ".join(f"{name} {version}" for name, version in recording.versions.items())
    exact = "Replayed exactly" if played.trace and not played.problem else "Not replayed exactly"
    arena = recording.spec_sha256[:12]
    return f"{exact}. Seed {recording.seed}, trial {recording.trial + 1}, arena {arena}; {versions}."
