"""Small batteries for the tests of evaluations, written as task files."""

from pathlib import Path

from evaluation.evaluate import EvalResult, Request, evaluate

TASK = """!ArenaConfig
arenas:
  0: !Arena
    pass_mark: 0
    t: {t}
    items:
    - !Item
      name: Agent
      positions: [!Vector3 {{x: 20, y: 0, z: 10}}]
      rotations: [0]
    - !Item
      name: GoodGoal
      positions: [!Vector3 {{x: {x}, y: 0, z: {z}}}]
      sizes: [!Vector3 {{x: 1, y: 1, z: 1}}]
"""


def write_battery(folder: Path, *places: tuple[float, float], t: int = 250) -> Path:
    """A battery of one green ball per task, at (x, z) metres, under ids of tasks that children did."""
    folder.mkdir()
    for name, (x, z) in zip(("01-04-03", "01-06-02", "01-21-01"), places, strict=False):
        (folder / f"{name}.yaml").write_text(TASK.format(x=x, z=z, t=t))
    return folder


def run(
    folder: Path, logs: Path, model: str, protocol: str | None = None, resume: bool = False, **choices: object
) -> EvalResult:
    """An evaluation without any display."""
    request = Request(model, folder, protocol=protocol, choices=choices)
    return evaluate(request, logs, resume=resume, display="none")
