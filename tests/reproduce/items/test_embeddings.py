"""Embeddings: the verdict follows the numbers."""

from lovasz.reproduce.items import embeddings


def verdict(results):
    return " ".join(embeddings.section(results).verdict)


def test_embeddings_that_disagree_with_the_paper_are_not_said_to_agree():
    found = {"accuracy": 40.0, "between": 0.1, "share": [1, 0], "points": [[0, 0]], "y": [0]}
    row = embeddings.ROWS[0]
    results = {(row, method): found for method in embeddings.METHODS}
    text = verdict(results | {(row, "gcn"): found | {"accuracy": 50.0}})
    assert "in 0 of 1 pictures" in text and "as in the paper" not in text
