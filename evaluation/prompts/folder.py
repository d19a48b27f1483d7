"""The user's own texts: a system prompt, or a folder with `NAME.md` for each text and `layout.yaml`."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from arena.errors import ConfigError
from arena.files import check_output_folder, write_file
from evaluation.agents.prompts import with_agent_texts
from evaluation.prompts import (
    FILE,
    Layout,
    Prompt,
    PromptFiles,
    PromptSet,
    check_variables,
    read_layout,
    read_prompt_file,
)


def with_files(prompts: PromptSet, files: PromptFiles, choices: Any = None) -> PromptSet:
    """The texts with the user's own in the place of their namesakes; a system prompt overrides the folder's.

    `choices` are those of the run, if it is known; those of a run with an agent call for its texts too.
    Raises ConfigError as `with_folder` does, for a layout that the choices exclude, and for a file that is
    unreadable, not UTF-8, empty, or has a `$` that is not followed by a variable of the system prompt.
    """
    if choices is not None:
        prompts = with_agent_texts(prompts, choices)
    found = with_folder(prompts, files.folder) if files.folder is not None else prompts
    if choices is not None and choices.memory and found.layout.roles == "user":
        raise ConfigError(
            f"{choices.memory} and the layout of {files.folder} (roles: user): "
            "impossible together, because the system text would be forgotten with the first message"
        )
    if files.system is None:
        return found
    system = replace(prompts["system"], text=read_prompt_file(files.system).strip())
    if not system.text:
        raise ConfigError(f"prompt file {files.system}: empty; write the instructions for the model into it")
    check_variables(str(files.system), system)
    return replace(found, prompts={**found.prompts, "system": system})


def with_folder(prompts: PromptSet, folder: Path) -> PromptSet:
    """The texts with those of a folder in the place of their namesakes, and its layout.

    A text is used as its file has it, with all white space, except for one line break at its end. Files other
    than `*.md` and `layout.yaml`, and folders inside, are left alone. Raises ConfigError for a folder without
    either, a text of an unknown name, and as `check_variables` and `read_layout` do.
    """
    files = sorted(folder.glob("*.md"))
    layout = folder / FILE
    if not files and not layout.is_file():
        what = "no such folder" if not folder.is_dir() else f"has no texts (NAME.md) and no {FILE}"
        raise ConfigError(f"prompts folder {folder}: {what}; `arena-llm prompts --out DIR` writes one")
    found = {path.stem: _text(path, prompts.prompts) for path in files}
    chosen = read_layout(read_prompt_file(layout), str(layout)) if layout.is_file() else Layout()
    return replace(prompts, prompts={**prompts.prompts, **found}, layout=chosen)


def _text(path: Path, known: Mapping[str, Prompt]) -> Prompt:
    if path.stem not in known:
        near = get_close_matches(path.stem, known, n=1)
        hint = f"did you mean {near[0]}.md?" if near else f"expected one of: {', '.join(known)}"
        raise ConfigError(f"prompts folder {path}: no text has this name; {hint}")
    text = read_prompt_file(path)
    prompt = replace(known[path.stem], text=text.removesuffix("\n"))
    check_variables(str(path), prompt)
    return prompt


def write_folder(prompts: PromptSet, folder: Path) -> None:
    """Write texts and layout as a folder that `with_folder` reads back as they are.

    Raises ConfigError if the folder is not empty, and EvaluationError if it cannot be written.
    """
    check_output_folder(folder)
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(f"{folder}: is not empty; name a new folder")
    for name, prompt in prompts.prompts.items():
        if prompt.text:
            write_file(folder / f"{name}.md", f"{prompt.text}\n")
    if text := prompts.layout.text():
        write_file(folder / FILE, text)
