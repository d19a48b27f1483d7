"""Checkouts of the paper's material in small: files, names and structure as documented, sentences of our own.

What the structure is follows from `src/definitions/prompts`, `src/experimentation/experiments/experiment1.py`
and `data/tutorial_video` of LLM-AAI, and from the pages of llm-aai-supporting-materials.
"""

import base64
from pathlib import Path

import numpy as np

from render import jpeg

GREETING, ENDING = "Hello PLAYER.\n    \nDrive $5 far.\n\n", "Don’t stop.\n"
SEND_OFF = "Off you go?\nNow.\n"
LABEL = "Seen:"
INVALID = "ENVIRONMENT: That is wrong. "
INTRO = "See how it is done. "
STATED = "ENVIRONMENT: health is {: .1f}."

BACKGROUND = f"{GREETING}   It ends with the last ball.\n\n Go(15); drives.\n\n {ENDING} \n"
"""The six parts with a blank between each, and a line break: the second is a blank, the last is empty."""

_PROMPTS = f'''
from src.llm_scripting.minimal_parser import ScriptCommands

PREAMBLES = {{"paper": f"""{GREETING}"""}}
OBSERVATIONS = {{"paper": " "}}
GOALS = {{"paper": """It ends with the last ball.\\n\\n"""}}
COMMANDS = {{"paper": lambda loops: f"""{{ScriptCommands.Go}}(15); drives.\\n\\n"""}}
CHAINS_OF_THOUGHT = {{"paper": f"""Don’t stop.\\n"""}}
MISC = {{
    "send_off_with_start_of_episode_message": f"Off you go?\\nNow.\\n",
    "end_of_episode_message": lambda ep_pass: ("Passed" if ep_pass else "Failed"),
    "paper": "",
}}
N_SHOT = {{
    "one_example": f"""{INTRO}""",
    "example_prefix": "Example:\\n",
    "character_prefix": lambda name: f"{{name}}: ",
}}
'''

_OBSERVATIONS = f'''
def create_in_session_reward_text(health: float, remaining_scripts: int) -> str:
    return f"ENVIRONMENT: health is {{health: .1f}}."

YIELD_OBS_MESSAGE = "{LABEL}"
PREVIOUS_RESPONSE_IS_INVALID = ("ENVIRONMENT: That is "
                                "wrong. ")
'''

SCRIPTS = ('Think("I drive");Go(3);\n', "Turn(-30);\n", "Go(10);")
HEALTHS = (99.9, 96.9, 96.4)


def picture(number: int) -> bytes:
    """A JPEG of the paper's size, 516 x 512, in a shade of its own."""
    return jpeg(np.full((512, 516, 3), 10 + number, np.uint8), 75)


def write_program(root: Path) -> Path:
    """A checkout of LLM-AAI, as far as the conversion reads it."""
    prompts = root / "src/definitions/prompts"
    prompts.mkdir(parents=True)
    (prompts / "prompts.py").write_text(_PROMPTS)
    (prompts / "observations.py").write_text(_OBSERVATIONS)
    session = root / "data/tutorial_video/replay/seed_0/arena"
    session.mkdir(parents=True)
    (session / "llm_session_history_1.txt").write_bytes(_on_windows())
    return root


def _on_windows() -> bytes:
    """The history as Python writes it there: an apostrophe is no UTF-8."""
    return "\r\n".join(map(_written, _history())).encode("cp1252")


def _history() -> list[dict]:
    first = [("Text", BACKGROUND + SEND_OFF + LABEL), ("Image", 0), ("Text", LABEL), ("Image", 1)]
    first += [("Text", LABEL), ("Image", 2), ("Text", STATED.format(HEALTHS[0]))]
    messages = [{"role": "user", "content": first}]
    for number, script in enumerate(SCRIPTS):
        messages.append({"role": "assistant", "content": [("Text", script)]})
        if number + 1 < len(SCRIPTS):
            after = [("Text", LABEL), ("Image", 3 + number), ("Text", STATED.format(HEALTHS[number + 1]))]
            messages.append({"role": "user", "content": after})
    return messages


def _written(message: dict) -> str:
    content = [
        f"(<PromptElement.Text: 1>, {value!r})"
        if kind == "Text"
        else f"(<PromptElement.Image: 2>, {base64.b64encode(picture(value)).decode()!r})"
        for kind, value in message["content"]
    ]
    return f"{{'role': {message['role']!r}, 'content': [{', '.join(content)}]}}"


def write_material(root: Path, scripts: int = 42) -> Path:
    """A checkout of the supporting material, as far as the conversion reads it."""
    printed = "You are a PLAYER. It doesn\\'t hurt.\\n\n\nMind the walls.  \nReady to play? Three images.\n"
    texts = {
        "experiment_1/prompt.md": f"{printed}Now. Environment observation captured\n",
        "experiment_2/prompt.md": _printed_example(scripts),
        "exploratory_experiments/frame_by_frame/prompt.md": f"A note on it:\n\n{printed}Now.  \n"
        + "Environment observation captured:  \n" * 3
        + "ENVIRONMENT: Your health is  99.9. ",
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "prompt-experiment2-images").mkdir()
    for number in range(scripts + 2):
        (root / f"prompt-experiment2-images/obs-{number}.jpg").write_bytes(picture(number))
    return root


def _printed_example(scripts: int) -> str:
    def shown(number: int) -> str:
        return f"![alt text](experiment_2/prompt_images/obs-{number}.jpg)\n\n(no response)\n\n"

    lines = [shown(0), shown(1)]
    for number in range(scripts):
        lines += [shown(number + 2), f'Think("step {number}"); Go(3);\n\n']
    return "".join(lines)
