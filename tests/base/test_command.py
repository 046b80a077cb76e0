"""A process that is the command does without scikit-learn."""

import subprocess
import sys

SCRIPT = """
import sys
from lovasz.base.command import become_command, is_command
assert not is_command()
become_command()
from lovasz import LCNClassifier
assert "sklearn" not in sys.modules
print(LCNClassifier(hidden=7).get_params()["hidden"])
"""


def test_the_estimator_needs_no_scikit_learn():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("7\n", 0), done.stderr
