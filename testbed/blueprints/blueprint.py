"""A task before it is a file, and how it becomes one."""

from dataclasses import dataclass

Point = tuple[float, float, float]
Color = tuple[int, int, int]

GREY: Color = (153, 153, 153)
BLUE: Color = (0, 0, 255)
PINK: Color = (255, 0, 255)


@dataclass(frozen=True, slots=True)
class Object:
    """One object of a task: kind, place (metres, y is its bottom), size, yaw in degrees, colour."""

    kind: str
    place: Point
    size: Point | None = None
    yaw: float | None = None
    color: Color | None = None


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A task: what is to be reached, which capacity that needs, how it is solved, and the arena."""

    goal: str
    capacity: str
    solution: str
    objects: tuple[Object, ...]
    time_limit: int = 250
    pass_mark: float = 0


def agent(x: float, z: float, yaw: float) -> Object:
    """The agent's start on the floor."""
    return Object("Agent", (x, 0, z), yaw=yaw)


def ball(kind: str, x: float, z: float, size: float, y: float = 0, yaw: float = 0) -> Object:
    """A goal whose bottom is at height y."""
    return Object(kind, (x, y, z), (size, size, size), yaw)


def wall(x: float, z: float, size: Point, yaw: float = 0, color: Color = GREY, y: float = 0) -> Object:
    """An opaque wall."""
    return Object("Wall", (x, y, z), size, yaw, color)


def to_yaml(task: Blueprint) -> str:
    """The task as a file in Animal-AI's v3 format."""
    lines = [
        f"# Goal: {task.goal}",
        f"# Capacity: {task.capacity}",
        f"# Solution: {task.solution}",
        "!ArenaConfig",
        "arenas:",
        "  0: !Arena",
        f"    pass_mark: {task.pass_mark:g}",
        f"    t: {task.time_limit}",
        "    items:",
    ]
    for thing in task.objects:
        lines += _item(thing)
    return "\n".join(lines) + "\n"


def _item(thing: Object) -> list[str]:
    lines = [
        "    - !Item",
        f"      name: {thing.kind}",
        "      positions:",
        f"      - {_vector(thing.place)}",
    ]
    if thing.yaw is not None:
        lines.append(f"      rotations: [{thing.yaw:g}]")
    if thing.size is not None:
        lines += ["      sizes:", f"      - {_vector(thing.size)}"]
    if thing.color is not None:
        r, g, b = thing.color
        lines += ["      colors:", f"      - !RGB {{r: {r}, g: {g}, b: {b}}}"]
    return lines


def _vector(point: Point) -> str:
    x, y, z = point
    return f"!Vector3 {{x: {x:g}, y: {y:g}, z: {z:g}}}"
