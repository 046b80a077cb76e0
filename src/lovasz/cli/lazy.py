"""Commands that are loaded when they are called."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from lovasz.base.extras import needed_for, require

NAMES = (
    "demo", "classify", "suggest", "label", "train", "theta", "verify", "embed", "kernel", "color",
    "communities", "reproduce", "bench", "data", "doctor",
)  # fmt: skip
"""The commands in the order of the help. ``lovasz.cli.NAME`` defines the command ``NAME``."""

NEEDS = {
    "demo": ("torch", "jinja2", "matplotlib"),
    "classify": ("torch", "jinja2", "matplotlib"),
    "label": ("starlette", "uvicorn", "torch", "jinja2", "matplotlib"),
    "train": ("torch",),
    "communities": ("sklearn",),
    "reproduce": ("torch", "joblib"),
}
"""The optional packages without which a command cannot begin, as they are imported.

With ``--fast`` none of them is torch. ``suggest`` asks for torch itself, once it has labels.
"""

STYLE: dict[str, Any] = {
    "add_completion": False,  # the options for completion belong to ``lovasz`` itself
    "rich_markup_mode": "markdown",
    "context_settings": {"help_option_names": ["-h", "--help"]},
}
"""The settings of ``typer.Typer`` that all commands share."""


class LazyCommands(TyperGroup):
    """A group that imports the module of a command only if this command is called or listed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands."""
        return list(NAMES)

    def get_command(self, ctx: Any, name: str) -> Any:
        """The command called ``name``, or None if there is none."""
        if name not in NAMES:
            for known in NAMES:  # typer looks among loaded commands for one with a similar name
                self.get_command(ctx, known)
            return None
        if name not in self.commands:
            self.commands[name] = _load(name)
        return self.commands[name]


def _load(name: str) -> Any:
    """Import a command: a function, or a ``Typer`` for a command with commands of its own."""
    app = getattr(import_module(f"lovasz.cli.{name}"), name)
    if not isinstance(app, typer.Typer):
        function, app = app, typer.Typer(**STYLE)
        app.command()(function)
    command = typer.main.get_command(app)
    command.name = name
    if command.callback is not None:
        command.callback = _checked(name, command.callback)
    return command


def _checked(name: str, run: Callable[..., Any]) -> Callable[..., Any]:
    """The command with one line about a missing package in the place of a traceback."""

    @wraps(run)
    def checked(*args: Any, **options: Any) -> Any:
        needed = [m for m in NEEDS.get(name, ()) if m != "torch" or not options.get("fast")]
        require(*needed, what=f"lovasz {name}")
        with needed_for(f"lovasz {name}"):
            return run(*args, **options)

    return checked
