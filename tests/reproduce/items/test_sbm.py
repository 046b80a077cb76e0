"""Block models: the verdict follows the numbers, and Bayes has converged."""

import numpy as np
import pytest

from lovasz.base.errors import LovaszError
from lovasz.reproduce.engine.cells import Cell, Context
from lovasz.reproduce.items import sbm


def verdict(results):
    return " ".join(sbm.section(results).verdict)


def test_the_verdict_on_block_models_claims_what_the_rates_show():
    def cell(*means):
        scores = (
            {"test": [m], "validation": [m], "loss": [1.0], "setting": [f"rate {m:g}"]}
            for m in means
        )
        return {"readings": dict(zip(sbm.READINGS, scores, strict=False))}

    row = "2 classes .5/.45 n=1000"
    ls = {(row, "lcn-ls"): cell(60.0, 90.0)}
    lifted = verdict(ls | {(row, "gcn"): cell(50.0, 95.0)})
    assert "lifts GCN in 2 classes .5/.45, where most splits choose rate 95" in lifted
    assert "lifts LCN (LS) in 2 classes .5/.45, where most splits choose rate 90" in lifted
    assert "behind in 2 classes .5/.45 at 1 of 1 sizes, by up to 5.0" in lifted
    flat = verdict({(row, "lcn-ls"): cell(60.0, 60.0), (row, "gcn"): cell(50, 50)})
    assert "lifts" not in flat and "behind" not in flat
    # A kernel that was never tuned is not said to have been chosen.
    exact = cell(70.0) | {"theta": [[3.0, 3.0]]}
    some = verdict(ls | {(row, "lcn"): exact, (row, "gcn"): cell(50, 50)})
    assert "where both were run, on 0 of 1 points) is level with or ahead of GCN on 1 of 1" in some


def test_labels_that_have_not_settled_are_no_ceiling(monkeypatch):
    from lovasz.reproduce.references import belief

    unsettled = belief.Beliefs(np.ones((100, 3)), False, 200, 0.5)
    monkeypatch.setattr(belief, "bayes_labels", lambda *_, **__: unsettled)
    with pytest.raises(LovaszError, match=r"changes by 5\.0e-01 after 200"):
        sbm.measure(Cell("sbm", "3 classes .6/.4 n=100", "bayes"), Context(quick=True))
