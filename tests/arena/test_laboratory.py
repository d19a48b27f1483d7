"""Arenas with a question: experiments by pads, the lamp, and the door that decides."""

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from arena import (
    ACTIONS,
    FORWARD,
    IDLE,
    TURN_LEFT,
    TURN_RIGHT,
    ArenaSpec,
    Episode,
    EventKind,
    LayoutError,
    Outcome,
)
from arena.cameras import CLASSES
from arena.errors import ConfigError
from arena.geometry.placed import Placed
from arena.gym.env import EVENTS, ArenaEnv
from arena.gym.vector_env import ArenaVectorEnv
from arena.rays import TAGS, Rays
from arena.recording import spec_sha256
from arena.replay import Replay
from arena.scene import wrap_deg
from arena.science import Experiments, Seen
from arena.science.families import truth
from arena.taskfile.catalog import KINDS
from arena.taskfile.load import load, load_text
from arena.taskfile.versions import Version
from llm_control.observations import describe
from people.play.worker import WorkerEpisode
from people.play.worker_protocol import Open
from render import Renderer, decode, top_view
from testbed import Task
from tests.arena.worlds import agent, item, play, spec
from tests.cases import cases
from tests.command import printed_by

CASES = cases(__file__)

FILE = Path(__file__).with_name("machine.yaml")
TEXT = FILE.read_text(encoding="utf-8")
SPEC = load(FILE).arenas[0]
PADS, DOORS = (14, 20, 26), (10, 20, 30)
SEEDS = 60


def start(arena: ArenaSpec = SPEC, seed: int = 0) -> Episode:
    return Episode(arena, task_id="machine", seed=seed)


def asking(**question: object) -> ArenaSpec:
    assert SPEC.question is not None
    return SPEC.model_copy(update={"question": SPEC.question.model_copy(update=question)})


def right_door(arena: ArenaSpec, seed: int) -> int:
    assert arena.question is not None
    return int(arena.question.hidden.doors[truth(arena.question, seed, "machine", 0)])


def things(run: Episode, kind: str) -> list[tuple[int, Placed]]:
    return [(index, placed) for index, placed in enumerate(run.layout.things) if placed.kind.name == kind]


def drive(run: Episode, x: float, z: float, near: float = 0.4) -> list[EventKind]:
    """Turn to a place and drive there, with as few turns as steps of 6 degrees allow; what happened."""
    happened: list[EventKind] = []
    for _ in range(400):
        east, north = x - run.position[0], z - run.position[2]
        if run.done or math.hypot(east, north) < near:
            break
        off = wrap_deg(math.degrees(math.atan2(east, north)) - run.yaw)
        turn = TURN_RIGHT if off > 0 else TURN_LEFT
        action = turn if abs(off) > 9 else FORWARD if run.speed < 6 else IDLE
        happened += [event.kind for event in run.step(action).events]
    return happened


def visit(run: Episode, thing: int) -> list[EventKind]:
    """Drive onto a pad from the south, and away again."""
    return drive(run, PADS[thing], 6) + drive(run, PADS[thing], 8.6) + drive(run, PADS[thing], 6)


def go_to(run: Episode, door: int) -> list[EventKind]:
    """Drive round the machine to a door, which opens."""
    happened = drive(run, 17, 7) if run.position[2] < 20 else []
    happened += drive(run, 17, 23) + drive(run, DOORS[door], 25)
    return happened + drive(run, DOORS[door], 28, near=0.63)


def go_through(run: Episode, door: int) -> list[EventKind]:
    """Drive to a door, wait until it is open, and drive on into the room behind it."""
    return go_to(run, door) + play_kinds(run, 25) + drive(run, DOORS[door], 29.5)


def face_north(run: Episode) -> None:
    while abs(wrap_deg(run.yaw)) > 9:
        run.step(TURN_RIGHT if wrap_deg(run.yaw) < 0 else TURN_LEFT)


def play_kinds(run: Episode, steps: int) -> list[EventKind]:
    return [event.kind for event in play(run, IDLE, steps)]


# The truth, experiments and doors.


def test_the_truth_follows_from_seed_task_and_trial_and_has_the_prior_s_distribution():
    doors = Counter(right_door(SPEC, seed) for seed in range(600))
    assert all(abs(doors[door] - 200) < 50 for door in range(3))
    for seed in range(4):
        for door in range(3):
            with start(seed=seed) as run:
                go_through(run, door)
                assert (run.done and run.passed) == (door == right_door(SPEC, seed))


@pytest.mark.parametrize(("rules", "needs"), [(("any",), 1), (("two",), 2)])
def test_the_lamp_follows_the_rule(rules, needs):
    # With all three counting, only the rule is left to tell.
    arena = with_doors(asking(rules=rules, asks="number", low=2, high=3), 2)
    with start(arena, seed=3) as run:
        for thing in (0, 1, 2, 0, 1, 2):
            visit(run, thing)
        sets = [1, 3, 7, 6, 4, 0]
        hypotheses = arena.question.hypotheses()
        counting, _ = hypotheses[truth(arena.question, 3, "machine", 0)]
        lit = [int((each & counting).bit_count() >= needs) for each in sets]
        assert run.experiments == Experiments(tuple(map(Seen, sets, lit)))
        assert {*lit} == {0, 1}


def with_doors(arena: ArenaSpec, number: int) -> ArenaSpec:
    """The arena with the first doors only."""
    items = [
        each.model_copy(update={"positions": each.positions[:number], "sizes": (), "symbol_names": ()})
        if each.name == "MarkedDoor"
        else each
        for each in arena.items
    ]
    return arena.model_copy(update={"items": tuple(items)})


def test_noise_turns_outcomes_round_as_often_as_it_says():
    arena = asking(noise=0.25, experiments=1)
    wrong = 0
    for seed in range(SEEDS):
        with start(arena, seed) as run:
            play(run, FORWARD, 10)
            ((experiment, outcome),) = run.experiments.seen
            wrong += outcome != (right_door(arena, seed) == experiment.bit_length() - 1)
    assert 0.1 < wrong / SEEDS < 0.4


def test_a_pad_acts_when_it_is_entered_and_tokens_go_to_the_plate_and_back():
    with start() as run:
        (token, _) = things(run, "Token")[1]
        at_first = run.scene().positions[token].copy()
        assert visit(run, 1) == [EventKind.EXPERIMENT]
        on_plate = run.scene().positions[token]
        assert on_plate[1] > at_first[1] + 0.3
        assert np.hypot(*(on_plate - (20, 0, 17))[[0, 2]]) < 2
        drive(run, 20, 8.6)
        assert (run.scene().positions[token] == at_first).all()
        # Whoever stays on it changes nothing.
        assert play_kinds(run, 30) == []
        assert [seen.experiment for seen in run.experiments.seen] == [2, 0]


def pushed(*blocks: str) -> ArenaSpec:
    """The machine with pads for blocks, and these blocks."""
    text = TEXT.replace("name: Pad", "name: BlockPad")
    return load_text(
        f"{text}    - {item('Block', *blocks, sizes=';'.join(['0.8 0.8 0.8'] * len(blocks)))}\n"
    ).arenas[0]


def test_a_token_is_on_the_plate_while_the_middle_of_a_block_is_over_its_pad():
    with start(pushed("20 0 7", "5 0 5", "35 0 5")) as run:
        (block, _), (token, _) = things(run, "Block")[0], things(run, "Token")[1]
        at_first, ways = run.scene().positions[token].copy(), []
        for _ in range(60):
            before = len(run.experiments.seen)
            play(run, FORWARD if run.speed < 3 else IDLE, 1)
            if len(run.experiments.seen) > before:
                ways.append(float(run.scene().positions[block][2]))
                moved = (run.scene().positions[token] != at_first).any()
                assert moved == (len(ways) == 1)
        assert [seen.experiment for seen in run.experiments.seen] == [2, 0]
        assert ways == [pytest.approx(8, abs=0.6), pytest.approx(10, abs=0.6)]
        # The agent itself drove over the pad, of which nothing came.
        assert run.position[2] > 9


def test_a_block_works_on_any_pad_and_only_with_its_middle():
    for x, experiments in ((12.95, ()), (13.05, (1,)), (14, (1,)), (27.05, ())):
        with start(pushed(f"{x} 0 9", "5 0 5", "35 0 5")) as run:
            play(run, IDLE, 1)
            assert tuple(seen.experiment for seen in run.experiments.seen) == experiments, x


def test_pads_that_are_driven_onto_work_beside_a_block():
    with start(load_text(f"{TEXT}    - {item('Block', '14 0 9', sizes='0.8 0.8 0.8')}\n").arenas[0]) as run:
        assert visit(run, 1) == [EventKind.EXPERIMENT]
        assert [seen.experiment for seen in run.experiments.seen] == [2]


def test_pads_for_blocks_need_blocks():
    with pytest.raises(ConfigError, match="expected one Block item with 3 instances, got 1"):
        pushed("20 0 7")


def test_after_the_last_experiment_pads_do_nothing_and_an_event_says_so():
    with start(asking(experiments=2)) as run:
        visit(run, 0)
        visit(run, 1)
        before = run.scene().positions.copy()
        assert visit(run, 2) == [EventKind.NO_EXPERIMENT]
        assert (run.scene().positions == before).all()
        assert [seen.experiment for seen in run.experiments.seen] == [1, 3]


def test_one_door_opens_for_good_and_all_others_stay_shut():
    with start() as run:
        wrong = (right_door(SPEC, 0) + 1) % 3
        assert go_through(run, wrong) == [EventKind.DOOR]
        assert run.experiments.door == wrong
        assert not [thing for thing in run.scene().things if KINDS[thing.kind].is_goal]
        drive(run, DOORS[wrong], 25)
        other = (wrong + 1) % 3
        assert drive(run, DOORS[other], 25) + drive(run, DOORS[other], 28, near=0.63) == []
        assert play_kinds(run, 30) == []
        heights = [run.scene().sizes[index][1] for index, _ in things(run, "MarkedDoor")]
        assert [height > 1 for height in heights] == [door != wrong for door in range(3)]
        assert run.experiments.door == wrong


def test_food_appears_behind_the_right_door_when_it_opens():
    right = right_door(SPEC, 0)
    with start() as run:
        events = go_through(run, right)
        assert events == [EventKind.DOOR, EventKind.GOOD_GOAL]
        assert (run.outcome, run.passed) == (Outcome.GOAL, True)
        food = run.scene().positions[-1]
        assert food[[0, 2]] == pytest.approx((DOORS[right], 28 + 1.5))


def test_nothing_in_the_arena_tells_which_door_is_right():
    seen = set()
    renderer = Renderer(64, 64)
    for seed in range(8):
        with start(seed=seed) as run:
            play(run, IDLE, 2)
            scene = run.scene()
            rays = Rays(20, 180).observe(scene)
            shown = (scene.positions, scene.sizes, scene.visible, rays, renderer.frame(scene))
            seen.add(sha256(b"".join(each.tobytes() for each in shown)).hexdigest())
    assert len(seen) == 1 < len({right_door(SPEC, seed) for seed in range(8)})


def test_who_experiments_passes_and_a_random_door_passes_at_the_prior():
    passed = Counter[str]()
    for seed in range(SEEDS):
        with start(seed=seed) as run:
            go_through(run, seed % 3)
            passed["random"] += run.passed and run.done
    for seed in range(6):
        with start(seed=seed) as run:
            hidden = SPEC.question.hidden
            while max(beliefs := hidden.of_doors(hidden.posterior(run.experiments.seen))) < 1:
                visit(run, len(run.experiments.seen))
            go_through(run, int(np.argmax(beliefs)))
            passed["after experiments"] += run.passed and run.done
    assert passed["after experiments"] == 6
    assert 0.15 < passed["random"] / SEEDS < 0.52


# How it is shown.


def test_words_tell_the_lamp_the_tokens_and_the_doors():
    with start() as run:
        before = describe(run.scene())
        assert "- dark lamp: " in before
        assert "- blue door with the symbol triangle: " in before
        assert "- orange token: " in before
        right = right_door(SPEC, 0)
        visit(run, right)
        drive(run, 20, 3)
        drive(run, 20, 5)
        after = describe(run.scene())
        color = ("blue", "orange", "purple")[right]
        assert "- lit lamp: " in after
        assert f"- {color} token on the machine: " in after
        go_through(run, (right + 1) % 3)
        drive(run, DOORS[(right + 1) % 3], 24)
        face_north(run)
        assert " door, open: " in describe(run.scene())


@pytest.mark.parametrize("version", [Version.V3, Version.V4])
def test_pictures_show_which_lamp_and_which_token_are_there(version):
    renderer = Renderer(256, 256)

    def lamps(scene):
        seen = [renderer.channels(scene, camera).semantic for camera in (None, top_view())]
        return [{CLASSES[number] for number in np.unique(each)} & {"DarkLamp", "LitLamp"} for each in seen]

    with start(SPEC.model_copy(update={"version": version})) as run:
        assert lamps(run.scene()) == [{"DarkLamp"}] * 2
        before = renderer.frame(run.scene(), top_view()).astype(int)
        visit(run, right_door(SPEC, 0))
        drive(run, 20, 3)
        drive(run, 20, 5)
        assert lamps(run.scene()) == [{"LitLamp"}] * 2
        changed = np.abs(renderer.frame(run.scene(), top_view()) - before).max(axis=2) > 40
        assert changed.sum() > 10


def test_an_open_door_is_a_gap_and_a_symbol_is_on_its_front():
    renderer, right = Renderer(256, 256), right_door(SPEC, 0)
    with start() as run:
        shut = renderer.channels(run.scene(), top_view()).semantic == CLASSES.index("MarkedDoor")
        drive(run, 17, 7)
        drive(run, 17, 23)
        drive(run, DOORS[right], 24)
        face_north(run)
        dark = renderer.frame(run.scene()).max(axis=2) < 40
        assert dark[100:150, 100:150].sum() > 100  # the symbol's ink
        go_through(run, right)
        is_open = renderer.channels(run.scene(), top_view()).semantic == CLASSES.index("MarkedDoor")
        assert 0 < is_open.sum() < 0.85 * shut.sum()


def test_rays_see_the_new_things_as_existing_tags():
    tags = {"Machine": "Immovable", "Token": "Immovable", "Pad": "PillarButton", "MarkedDoor": "GoalSpawner"}
    for kind, tag in tags.items():
        with Episode(spec(agent("20 0 5"), item(kind, "20 0 12")), task_id="rays") as run:
            assert Rays(0).observe(run.scene())[0, TAGS.index(tag)] == 1


def test_rays_see_a_machine_as_a_sign_while_its_lamp_is_lit():
    all_around, right = Rays(30, 180.0), right_door(SPEC, 0)
    with start() as run:
        for is_lit in (False, True, False):
            drive(run, 17, 7)
            rows, named = all_around.observe(run.scene()), all_around.named(run.scene())
            assert rows[:, TAGS.index("SignPoster")].any() == is_lit
            assert ("SignPoster" in dict(named)) == is_lit
            visit(run, right)


# Reading.


@pytest.mark.parametrize(("old", "new", "message"), CASES["wrong"])
def test_files_are_read_strictly(old, new, message):
    text = TEXT.replace(old, new, 1)
    if message:
        with pytest.raises(ConfigError, match=message):
            load_text(text, "f")
    else:
        (warning,) = load_text(text, "f").warnings
        assert warning.startswith("f:29: ")


def test_objects_of_the_laboratory_are_refused_in_other_files_and_ignored_as_ever_when_lenient():
    text = f"!ArenaConfig {{arenas: {{0: !Arena {{items: [{item('Pad', '20 0 20')}]}}}}}}"
    with pytest.raises(ConfigError, match=r"f:1: .*object 'Pad'; it needs the line 'laboratory"):
        load_text(text, "f")
    file = load_text(text, "f", lenient=True)
    assert file.arenas[0].items == ()
    assert "unknown object 'Pad', ignored" in file.warnings[0]
    assert load_text(TEXT, lenient=True).arenas[0] == SPEC


def test_arenas_without_a_question_keep_their_hash():
    assert "question" not in spec(agent(), item("Wall", "20 0 20")).model_dump_json()
    assert spec_sha256(SPEC) != spec_sha256(asking(experiments=9))
    assert ArenaSpec.model_validate_json(SPEC.model_dump_json()) == SPEC


def test_without_a_place_for_a_pad_there_is_no_question_to_ask():
    blocked = TEXT.replace("x: 20, y: 0, z: 17", "x: 20, y: 0, z: 12")
    with pytest.raises(LayoutError, match=r"machine: no free place for one of the 3 Token objects"):
        start(load_text(blocked).arenas[0])


# Recording, and other ways to play.


def experimented(seed: int = 5) -> tuple[Episode, list[EventKind]]:
    run = start(asking(noise=0.2), seed)
    return run, [*visit(run, 2), *visit(run, 0), *visit(run, 1), *go_through(run, 1)]


def digest(run: Episode) -> str:
    scene = run.scene()
    state = (*run.position, run.health, run.total_reward, run.experiments)
    return sha256(repr(state).encode() + scene.positions.tobytes() + scene.sizes.tobytes()).hexdigest()


def test_a_recording_replays_to_the_same_experiments():
    run, _ = experimented()
    with run, Replay(run.recording(), run.spec) as replay:
        again = replay.to_end()
        assert replay.differences() == ()
        assert len(again.experiments.seen) == 3
        assert again.experiments.door == 1
        assert digest(again) == digest(run)


def test_another_process_has_the_same_bits():
    code = "from tests.arena.test_laboratory import *\nprint(digest(experimented()[0]))"
    run, _ = experimented()
    with run:
        assert printed_by(code).strip() == digest(run)


def test_experiments_are_those_of_the_current_arena():
    first = spec(agent("20 0 5"), item("GoodGoal", "20 0 8", sizes="1 1 1"), t=1000, version="4")
    merged = first.model_copy(update={"merge_next": True, "then": SPEC})
    with start(merged) as run:
        assert run.experiments == Experiments()
        play(run, FORWARD, 30)
        assert run.merged == 1
        assert [seen.experiment for seen in run.experiments.seen] == [2]


def indices(run: Episode) -> Sequence[int]:
    return [ACTIONS.index(action) for action in run.actions]


def test_the_environments_play_it_with_the_same_events():
    run, events = experimented(0)
    totals = np.zeros(len(EVENTS), int)
    with run, ArenaEnv(FILE, action="discrete9") as env:
        env.reset(seed=0)
        for index in indices(run):
            totals += env.step(index)[4]["events"]
        assert [EVENTS[k] for k in np.flatnonzero(totals)]
        assert totals[EVENTS.index("experiment")] == events.count(EventKind.EXPERIMENT) == 3


def test_fast_environments_stop_at_pads_and_doors():
    with start() as run:
        visit(run, 2)
        visit(run, 0)
        go_to(run, 1)
        actions = indices(run)
    options = {"config": FILE, "observation": "rays", "rays_per_side": 10}
    counted, signs = np.zeros((2, len(EVENTS)), int), 0.0
    with closing(ArenaVectorEnv(2, **options)) as envs, closing(ArenaEnv(**options)) as alone:
        envs.reset(seed=0)
        alone.reset(seed=0)
        for index in actions:
            seen, _, _, _, infos = envs.step(np.full(2, index))
            assert (seen[0] == alone.step(index)[0]).all()
            counted += infos["events"]
            signs += seen[0].reshape(21, -1)[:, TAGS.index("SignPoster")].sum()
    assert signs > 0
    assert counted[:, EVENTS.index("experiment")].tolist() == [2, 2]
    assert counted[:, EVENTS.index("door opened")].tolist() == [1, 1]


def test_people_play_it_by_keys():
    run, _ = experimented()
    task = Task("machine", 11, FILE, run.spec, "")
    with run:
        played = WorkerEpisode(Open(task, 5, 0, tuple(indices(run))))
        events = [kind for kind, _ in played.opened().state.events]
        assert events[:4] == 3 * ["experiment"] + ["door opened"]
        shown = {view: played.draw(0.0, view, 256, 80).jpeg for view in ("first", "third", "top")}
        played.close()
    assert all(decode(image).shape == (256, 256, 3) for image in shown.values())
