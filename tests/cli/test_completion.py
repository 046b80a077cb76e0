"""What the shell is told when a user presses the tab key."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import lovasz
from lovasz.cli import completion

ANSWERS = {
    completion.complete_kernel: ("l", {"lovasz", "ls", "laplacian"}),
    completion.complete_classifier_kernel: ("a", {"auto", "adjacency"}),
    completion.complete_device: ("c", {"cpu", "cuda"}),
    completion.complete_variant: ("s", {"schrijver", "szegedy"}),
    completion.complete_solver: ("s", {"splitting"}),
    completion.complete_dataset: ("citeseer", {"citeseer"}),
    completion.complete_item: ("hyper", {"hypergraph", "hypergraph-real"}),
}


@pytest.mark.parametrize("complete", ANSWERS, ids=lambda function: function.__name__)
def test_names_are_completed(complete):
    word, expected = ANSWERS[complete]
    assert set(complete(word)) == expected
    assert complete("nothing begins like this") == []


TYPED = {
    "lovasz the": ["theta"],
    "lovasz data f": ["fetch"],
    "lovasz theta graph.csv --var": ["--variant"],
    "lovasz theta graph.csv --variant sz": ["szegedy"],
    "lovasz kernel graph.csv -k nod": ["node2vec"],
    "lovasz data fetch pubm": ["pubmed"],
    "lovasz classify graph.csv --weights k": ["keep"],
}


@pytest.mark.parametrize("typed", TYPED)
def test_bash_is_answered(typed):
    script = "import sys; sys.argv[0] = 'lovasz'; from lovasz.__main__ import main; main()"
    asked = {
        "_LOVASZ_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
        "PYTHONPATH": str(Path(lovasz.__file__).parents[1]),
    }
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=os.environ | asked
    )
    assert done.stdout.split() == TYPED[typed], done.stderr
