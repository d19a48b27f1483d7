"""The application that `openenv.yaml` names, and the server that `openenv serve` starts."""

import os

import uvicorn

from arena_llm.openenv_server import suite_app
from evaluation.opened import Opened

app = suite_app(Opened.named(os.environ.get("ARENA_LLM_SUITE", "est")), sessions=64)


def main() -> None:
    """Serve on port 8000 of all addresses."""
    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
