"""Packages that may not be there: those of the optional extras of arena-llm."""

from importlib.util import find_spec

from arena.errors import ConfigError

EXTRAS = {
    "eval": (
        *("inspect_ai", "anyio", "tenacity", "openai", "anthropic", "google"),
        *("pandas", "scipy", "matplotlib"),
    ),
    "people": ("fastapi", "uvicorn", "websockets", "sqlalchemy", "psycopg", "markdown_it"),
}
"""What extras install, by the names under which it is imported."""


def require(extra: str, *modules: str) -> None:
    """Raise ConfigError with the command to run if a module of an extra is missing (default: any of them)."""
    missing = [name for name in modules or EXTRAS[extra] if find_spec(name) is None]
    if missing:
        raise ConfigError(_sentence(", ".join(missing), extra))


def missing_package(error: ModuleNotFoundError) -> str | None:
    """What to do about a missing module if an extra installs it; None for any other module."""
    root = (error.name or "").partition(".")[0]
    return next((_sentence(root, extra) for extra, names in EXTRAS.items() if root in names), None)


def _sentence(missing: str, extra: str) -> str:
    return f"{missing} not found; run: pip install 'arena-llm[{extra}]'"
