"""The optional extra `people`: its packages are imported only when they are needed."""

from importlib.util import find_spec

from arena.errors import ConfigError

MODULES = ("fastapi", "uvicorn", "websockets", "sqlalchemy", "psycopg", "markdown_it")


def require(*modules: str) -> None:
    """Raise ConfigError with the command to run if a module is not installed (default: all of them)."""
    missing = [name for name in modules or MODULES if find_spec(name) is None]
    if missing:
        raise ConfigError(f"{', '.join(missing)} not found; run: pip install 'arena-llm[people]'")
