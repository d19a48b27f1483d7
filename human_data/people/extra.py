"""The optional extra `people`: what it brings is imported on use only."""

from importlib.util import find_spec

from arena.errors import ConfigError

MODULES = ("fastapi", "uvicorn", "websockets", "sqlalchemy", "psycopg", "markdown_it")


def require(*modules: str) -> None:
    """Raises ConfigError, with what to install, where one of the modules is absent (all, if none named)."""
    absent = [name for name in modules or MODULES if find_spec(name) is None]
    if absent:
        raise ConfigError(f"{', '.join(absent)} not found; run: pip install 'arena-llm[people]'")
