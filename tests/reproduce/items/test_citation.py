"""Citation networks: the verdict follows the numbers."""

from lovasz.reproduce.items import citation


def verdict(results):
    return " ".join(citation.section(results).verdict)


def test_the_verdict_on_citations_gives_reasons_only_where_they_are_needed():
    def cell(accuracy):
        scores = {"test": [accuracy] * 2, "validation": [accuracy] * 2}
        return {"readings": {"raw": scores}, "largest": 41.3}

    behind = verdict({("cora", "gcn"): cell(81.0), ("cora", "lcn-ls"): cell(75.0)})
    assert "behind GCN on cora" in behind
    ahead = verdict({("cora", "gcn"): cell(81.0), ("cora", "lcn-ls"): cell(82.0)})
    assert "behind GCN" not in ahead
    other = verdict({("pubmed", "node2vec"): cell(60.0)})
    assert "pubmed 42.3 and 41.3" in other and "died" not in other and "Our accuracies" in other
    same = verdict({("cora", "node2vec"): cell(60.0) | {"largest": 31.9}})
    assert "On cora they are equal" in same
