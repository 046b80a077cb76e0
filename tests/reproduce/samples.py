"""Made-up results in the shape of real ones."""

import numpy as np

from lovasz.reproduce.items import uci_mnist


def scores(rng, middle, splits=10):
    test = np.clip(rng.normal(middle, 2.5, splits), 0, 100).round(2)
    return {
        "test": test.tolist(),
        "validation": np.clip(test + rng.normal(0, 2, splits), 0, 100).round(2).tolist(),
        "loss": rng.uniform(0.1, 0.9, splits).round(4).tolist(),
        "setting": ["rate 0.01, L2 0.0005, dropout 0.5"] * splits,
    }


def table_results(rows=None, methods=uci_mnist.METHODS, seed=0):
    """Of uci-mnist: the published numbers with noise."""
    rng = np.random.default_rng(seed)
    results = {}
    for row in rows or uci_mnist.PUBLISHED:
        paper = dict(zip(uci_mnist.COLUMNS, uci_mnist.PUBLISHED[row], strict=True))
        paper |= {"lcn-ls": paper["lcn"] - 1, "gcn-raw": paper["gcn"] - 8}
        for method in methods:
            kinds = ("identity",) if method in uci_mnist.WITHOUT_FEATURES else ("identity", "raw")
            cell = {
                "readings": {
                    f"{share} {kind}": scores(
                        rng, min(paper[method], 99) - (9 if share == "10%" else 0)
                    )
                    for share in ("10%", "70%")
                    for kind in kinds
                }
            }
            if method == "lcn":
                graphs = 5 if "mnist" in row else 1
                lower = rng.uniform(5, 90, graphs)
                cell["theta"] = [[low, low * (1 + 1e-6)] for low in lower]
            results[row, method] = cell
    return results


def part_of(result, part):
    """What one of five graphs has of the result of a row; all of it where the row is one graph."""
    if part is None:
        return result
    readings = {
        name: {key: values[2 * part : 2 * part + 2] for key, values in scores.items()}
        for name, scores in result["readings"].items()
    }
    theta = {"theta": result["theta"][part : part + 1]} if "theta" in result else {}
    return {"readings": readings} | theta
