"""Write the shipped battery: `python -m testbed.blueprints`."""

from testbed.blueprints import battery
from testbed.tasks import LEVELS_FOLDER

for name, text in battery():
    path = LEVELS_FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
