"""Estimators as scikit-learn sees them, although none inherits from its base class."""

import subprocess
import sys

import pytest
from sklearn.base import clone, is_classifier

from lovasz import LCNClassifier
from lovasz.base.errors import LovaszError


def test_parameters_are_read_set_and_cloned():
    made = LCNClassifier("ls", hidden=8)
    assert made.get_params()["hidden"] == 8 and made.get_params()["kernel"] == "ls"
    assert made.set_params(hidden=4) is made and made.hidden == 4
    copy = clone(made)
    assert copy is not made and copy.get_params() == made.get_params()
    assert is_classifier(made)
    assert repr(made) == "LCNClassifier(kernel='ls', hidden=4)"


def test_an_unknown_parameter_is_refused_by_name():
    with pytest.raises(LovaszError, match="LCNClassifier has no parameter 'hiden'; it has kernel"):
        LCNClassifier().set_params(hiden=3)


def test_a_fit_imports_neither_scikit_learn_nor_the_compiler_of_torch():
    code = """
import sys
from lovasz import LCNClassifier
LCNClassifier("ls", epochs=2).fit([(0, 1), (1, 2), (2, 3)], {0: "a", 3: "b"})
print({"sklearn", "pandas", "torch._dynamo"} & {*sys.modules})
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
