"""The reference of the command line, written from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

MARK = "<!-- every command -->"
"""The line of a page that the commands replace."""


def add_commands(app: Any, docname: str, source: list[str]) -> None:
    """Replace the mark by one section per command."""
    if MARK in source[0]:
        source[0] = source[0].replace(MARK, "\n".join(describe(*found) for found in commands()))


def commands() -> Iterator[tuple[str, Any]]:
    """Yield the full name of every command and the command, those of groups included."""
    import typer

    from lovasz.cli import app

    group = typer.main.get_command(app)
    context = typer.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if hasattr(command, "list_commands"):
            for part in command.list_commands(context):
                yield f"lovasz {name} {part}", command.get_command(context, part)
        else:
            yield f"lovasz {name}", command


def describe(name: str, command: Any) -> str:
    """One section: what a command does, and its arguments and options in a table."""
    rows = [
        f"| `{spell(option)}` | {clean(option.help)} | {default_of(option)} |"
        for option in command.params
        if not option.hidden
    ]
    table = ["| option | meaning | default |", "|---|---|---|", *rows, ""] if rows else []
    about = (command.help or "").replace("\b", "").strip()
    return "\n".join([f"## {name}", "", about, "", *table])


def spell(option: Any) -> str:
    """An argument in capitals, or all ways to write an option."""
    if option.param_type_name == "argument":
        return str(option.metavar or option.name).upper()
    return ", ".join([*option.opts, *option.secondary_opts])


def default_of(option: Any) -> str:
    """The default, if it says anything."""
    if option.required:
        return "required"
    silent = option.default is None or option.default is False or not str(option.default)
    return "" if silent else f"`{getattr(option.default, 'value', option.default)}`"


def clean(text: str | None) -> str:
    """A help text for a cell of a table."""
    return " ".join((text or "").split()).replace("|", "\\|")


def setup(app: Any) -> dict[str, Any]:
    """Register the replacement."""
    app.connect("source-read", add_commands)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
