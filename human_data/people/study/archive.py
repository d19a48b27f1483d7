"""A study's export as one file."""

import tempfile
import zipfile
from pathlib import Path

from human_data.people.store import Store
from human_data.people.store.export import export


def archive(store: Store, study: str, *, bids: bool = False) -> Path:
    """Write a ZIP file of what `arena-llm people export` writes; whoever asked for it removes it."""
    with tempfile.TemporaryDirectory(prefix="arena-export-") as folder:
        export(store, study, Path(folder) / study, bids=bids)
        handle, name = tempfile.mkstemp(prefix="arena-export-", suffix=".zip")
        with open(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in sorted((Path(folder) / study).rglob("*")):
                if path.is_file() and not path.name.startswith("."):
                    packed.write(path, path.relative_to(folder))
    return Path(name)
