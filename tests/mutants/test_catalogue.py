"""The catalogue of errors fits the source; ``make mutants`` tries them all."""

import ast
import shlex
from collections import Counter

import pytest
from tests.mutants.__main__ import ROOT
from tests.mutants.catalogue import CATALOGUE, MUTANTS


@pytest.mark.parametrize("file", CATALOGUE)
def test_every_text_occurs_once_and_leaves_valid_source(file):
    text = (ROOT / "src" / "lovasz" / file).read_text(encoding="utf-8")
    for mutant in (one for one in MUTANTS if one.file == file):
        assert text.count(mutant.old) == 1, mutant.old
        changed = text.replace(mutant.old, mutant.new)
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(text)), mutant.old
        assert (ROOT / shlex.split(mutant.killer)[0].partition("::")[0]).exists()


def test_there_are_enough_of_them_and_none_twice():
    assert len(MUTANTS) >= 60
    assert max(Counter((one.file, one.old) for one in MUTANTS).values()) == 1
