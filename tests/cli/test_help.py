"""Every command has an example in its help, and the examples can be typed."""

import re
import shlex

import pytest
import typer

from lovasz.cli import app
from lovasz.cli.lazy import NAMES

ROOT = typer.main.get_command(app)


def leaves(command, words=()):
    """All commands that do something, with the words that call them."""
    context = typer.Context(command)
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        if hasattr(child, "list_commands"):
            yield from leaves(child, (*words, name))
        else:
            yield pytest.param((*words, name), child, id=" ".join((*words, name)))


COMMANDS = list(leaves(ROOT))


def examples(command):
    """The examples in the help: what stands in backquotes after the word."""
    found = re.search(r"Example: (.*)", command.help, re.DOTALL)
    return re.findall(r"`([^`]+)`", found.group(1)) if found else []


def test_all_commands_are_looked_at():
    assert {param.values[0][0] for param in COMMANDS} == set(NAMES)


@pytest.mark.parametrize(("words", "command"), COMMANDS)
def test_the_help_has_an_example_of_the_command(run, words, command):
    assert any(example.startswith(f"lovasz {' '.join(words)}") for example in examples(command))
    code, out, _ = run(*words, "--help")
    assert code == 0 and "Example: lovasz" in " ".join(re.sub(r"[│\s]+", " ", out).split())


@pytest.mark.parametrize(("words", "command"), COMMANDS)
def test_the_examples_can_be_typed(words, command):
    for example in examples(command):
        start, typed = example.split("lovasz", 1)
        assert start in ("", "torchrun --nproc-per-node 2 -m "), example
        given, called = shlex.split(typed), ROOT
        while hasattr(called, "list_commands"):
            name = given.pop(0)
            called = called.get_command(typer.Context(called), name)
        called.make_context(name, given)  # raises a usage error if it is wrong
