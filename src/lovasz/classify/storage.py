"""Saving and loading a fitted LCNClassifier as one JSON file and one file of arrays.

The JSON file has a digest of both, so that a damaged file, or files of two models, are noticed.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.base.files import atomic, staged
from lovasz.base.text import one_line
from lovasz.classify.blend import Blend
from lovasz.classify.calibration import Calibration
from lovasz.classify.evaluation import Trial, trials_as_json
from lovasz.classify.expectation import Expectation
from lovasz.classify.features import Scaling
from lovasz.classify.problem import Problem
from lovasz.classify.surroundings import Surroundings
from lovasz.classify.tails import Tails
from lovasz.graphs import Graph
from lovasz.graphs.formats.archives import checked_csr, read_archive
from lovasz.graphs.hypergraph import Expansion
from lovasz.graphs.source import naming
from lovasz.linalg.low_rank import LowRank
from lovasz.linalg.principal import PrincipalAxes

if TYPE_CHECKING:
    from lovasz.classify.lcn import LCNClassifier

FORMAT = 7
"""Number of the file format; it changes when files of older versions cannot be read any more."""
NEXT = "arrays.next.npz"
"""The name of the new arrays until ``model.json`` is the new one, too."""


def save_model(classifier: LCNClassifier, folder: str | os.PathLike[str]) -> None:
    """Write ``model.json`` and ``arrays.npz`` into ``folder``, replacing a model saved there."""
    if getattr(classifier, "_probabilities", None) is None:
        raise LovaszError("this LCNClassifier is not fitted; call fit(graph, y) before save")
    final = Path(folder)
    if final.is_dir() and any(final.iterdir()) and not (final / "model.json").exists():
        raise LovaszError(f"{final} holds other files and no model; choose another folder")
    parameters = classifier.get_params()
    if not isinstance(parameters["kernel"], str):
        parameters["kernel"] = "given"
    nodes = None if isinstance(classifier.nodes_, range) else [*map(_as_json, classifier.nodes_)]
    blend = classifier.blend_
    about = {
        "format": FORMAT,
        "lovasz": lovasz.__version__,
        "parameters": parameters,
        "seed": classifier.seed_,
        "kernel_name": classifier.kernel_name_,
        "propagation": classifier.propagation_,
        "shares": blend.shares,
        "tried": trials_as_json(blend.tried),
        "calibrations": {name: vars(found) for name, found in blend.calibrations.items()},
        "sharpness": vars(blend.sharpness),
        "network": classifier.network_,
        "networks": {name: len(found) for name, found in classifier.networks_.items()},
        "expectation": classifier.expectation_ and asdict(classifier.expectation_),
        "suspicious": [[_as_json(node), *rest] for node, *rest in classifier.suspicious_],
        "scalings": problem_scalings(classifier._problem),
        "labels_at_fit": classifier._labels_at_fit,
        "classes": classifier.classes_.tolist(),
        "nodes": nodes,
        "n": len(classifier.nodes_),
    }
    try:
        text = json.dumps(about, indent=1, ensure_ascii=False, default=_plain)
    except TypeError as problem:
        raise LovaszError(f"cannot save node names or parameters as JSON: {problem}") from None
    packed = io.BytesIO()
    np.savez_compressed(packed, **_arrays(classifier))
    signed = {"digest": _digest(json.loads(text), packed.getvalue())} | about
    text = json.dumps(signed, indent=1, ensure_ascii=False, default=_plain)
    _tidy_up(final)
    with staged(final, "model.json", "arrays.npz"):  # checks the folder first
        _replace(final, text.encode(), packed.getvalue())


def _tidy_up(folder: Path) -> None:
    """Remove what a save that was killed has left."""
    for left in (*folder.glob(f".*-{NEXT}"), *folder.glob(".*-model.json")):
        left.unlink(missing_ok=True)
    for left in folder.glob(".writing-*"):
        shutil.rmtree(left, ignore_errors=True)


def _replace(folder: Path, about: bytes, packed: bytes) -> None:
    """Write both files so that one model, the old or the new one, can be loaded at any time."""
    try:
        with atomic(folder / NEXT) as temporary:
            temporary.write_bytes(packed)
        with atomic(folder / "model.json") as temporary:
            temporary.write_bytes(about)
    except BaseException:
        (folder / NEXT).unlink(missing_ok=True)
        raise
    os.replace(folder / NEXT, folder / "arrays.npz")


def load_model(cls: type[LCNClassifier], folder: str | os.PathLike[str]) -> LCNClassifier:
    """Return the classifier that :func:`save_model` wrote."""
    path = Path(folder)
    try:
        about = json.loads((path / "model.json").read_text(encoding="utf-8"))
        found = [path / name for name in ("arrays.npz", NEXT) if (path / name).is_file()]
        candidates = [file.read_bytes() for file in found or [path / "arrays.npz"]]
    except (OSError, ValueError, RecursionError) as problem:
        raise LovaszError(f"{path} holds no saved model ({one_line(problem)})") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise LovaszError(
            f"{path} was not saved in the format {FORMAT} that this lovasz reads; "
            "fit the model again"
        )
    digest = about.pop("digest", None)
    packed = next((data for data in candidates if digest == _digest(about, data)), None)
    if packed is None:
        raise LovaszError(
            f"{path}: model.json and arrays.npz are damaged, or of two models; fit the model again"
        )
    try:
        with naming(str(path)):
            return _restore(cls, about, read_archive(packed))
    except LovaszError:
        raise
    except Exception as problem:  # a file that was forged, as the digest is right
        raise LovaszError(f"{path} is damaged ({one_line(problem)}); fit the model again") from None


def _digest(about: dict[str, Any], packed: bytes) -> str:
    """Return the SHA-256 of both files, whatever the layout of the JSON."""
    text = json.dumps(about, sort_keys=True)
    return hashlib.sha256(text.encode() + b"\0" + packed).hexdigest()


def _restore(
    cls: type[LCNClassifier], about: dict[str, Any], arrays: dict[str, Any]
) -> LCNClassifier:
    classifier = cls(**about["parameters"])
    classifier.seed_ = about["seed"]
    classifier.kernel_name_ = about["kernel_name"]
    classifier.propagation_ = about["propagation"]
    tried = {
        name: Trial(*(np.nan if v is None else v for v in found.values()))
        for name, found in about["tried"].items()
    }
    calibrations = {name: Calibration(**found) for name, found in about["calibrations"].items()}
    classifier.blend_ = Blend(
        about["shares"],
        calibrations,
        tried,
        Calibration(**about["sharpness"]),
        arrays["judges"],
        arrays["held_out"],
    )
    found = about["expectation"]
    classifier.expectation_ = None if found is None else Expectation(**found)
    classifier.suspicious_ = [(_from_json(node), *rest) for node, *rest in about["suspicious"]]
    classifier.network_ = about["network"]
    classifier.unreached_ = arrays["unreached"]
    classifier.chosen_, classifier.tried_ = classifier.blend_.chosen, tried
    classifier.classes_ = np.array(about["classes"])
    nodes = about["nodes"]
    classifier.nodes_ = range(about["n"]) if nodes is None else tuple(map(_from_json, nodes))
    classifier.logits_ = arrays["logits"]
    classifier._probabilities = arrays["probabilities"]
    classifier._table = arrays.get("table")
    classifier.transduction_ = classifier.classes_[classifier._probabilities.argmax(1)]
    classifier.kernel_ = _matrix(arrays, "kernel")
    _check_sizes(classifier)
    classifier._labels_at_fit, classifier._taught = about["labels_at_fit"], arrays["taught"]
    classifier._validation = arrays.get("validation")
    classifier._problem = restore_problem(classifier, arrays, about["scalings"])
    classifier._graph = None if classifier._problem is None else classifier._problem.graph
    classifier._starts, classifier._explainer = {}, None
    classifier.networks_ = {
        name: [arrays[f"weight_{number}_{k}"] for k in range(count)]
        for number, (name, count) in enumerate(about["networks"].items())
    }
    return classifier


def _check_sizes(classifier: LCNClassifier) -> None:
    n, sizes = len(classifier.nodes_), (len(classifier.nodes_), len(classifier.classes_))
    right = classifier._probabilities.shape == sizes and classifier.kernel_.shape == (n, n)
    if not right or not np.isfinite(classifier._probabilities).all():
        raise LovaszError("its arrays do not fit its nodes and classes; fit the model again")


def _as_json(name: Any) -> Any:
    """Return a node name for JSON; tuples, which networkx uses for grids, are marked."""
    return {"tuple": [*map(_as_json, name)]} if isinstance(name, tuple) else name


def _from_json(name: Any) -> Any:
    return tuple(map(_from_json, name["tuple"])) if isinstance(name, dict) else name


def _plain(value: Any) -> Any:
    """Return NumPy's numbers, which grid searches leave in parameters, as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} is a {type(value).__name__}")


def _arrays(classifier: LCNClassifier) -> dict[str, Any]:
    arrays: dict[str, Any] = {
        f"weight_{number}_{k}": weight
        for number, weights in enumerate(classifier.networks_.values())
        for k, weight in enumerate(weights)
    }
    arrays |= {
        "logits": classifier.logits_,
        "probabilities": classifier._probabilities,
        "judges": classifier.blend_.judges,
        "held_out": classifier.blend_.held_out,
        "unreached": classifier.unreached_,
    }
    arrays |= _matrix_arrays(classifier.kernel_, "kernel")
    arrays |= {"taught": classifier._taught} | problem_arrays(classifier._problem)
    if classifier._validation is not None:
        arrays["validation"] = np.asarray(classifier._validation)
    if classifier._table is not None:
        arrays["table"] = classifier._table
    return arrays


def problem_arrays(problem: Problem | None) -> dict[str, np.ndarray]:
    """Return the graph, the labels and the features that explaining and growing need.

    A hypergraph is not saved, so a loaded model of one answers for its nodes and does no more.
    """
    if problem is None or isinstance(problem.graph, Expansion):
        return {}
    arrays = {"codes": problem.codes} | _matrix_arrays(problem.graph.adjacency, "graph")
    for name, X in (("features", problem.features), ("other", problem.other_features)):
        arrays |= {} if X is None else _matrix_arrays(X, name)
    if "surroundings" in vars(problem):  # what the columns of a network's features mean
        axes, scaled = problem.principal_axes, problem.surroundings
        arrays |= {"axes_centre": axes.centre, "axes_directions": axes.directions}
        arrays |= {"beside_mean": scaled.mean, "beside_factor": scaled.factor}
    for name, scaling in (("scale", problem.scaling), ("other_scale", problem.other_scaling)):
        if scaling is not None and scaling.mean is not None and scaling.spread is not None:
            arrays |= {f"{name}_mean": scaling.mean, f"{name}_spread": scaling.spread}
        if scaling is not None and scaling.tails is not None:
            arrays |= {f"{name}_tails_{part}": kept for part, kept in vars(scaling.tails).items()}
    return arrays


def problem_scalings(problem: Problem | None) -> dict[str, list[Any]]:
    """Return the kinds of the scalings of features."""
    if problem is None:
        return {}
    pairs = (("scale", problem.scaling), ("other_scale", problem.other_scaling))
    return {name: [found.kind, found.thin] for name, found in pairs if found is not None}


def restore_problem(
    classifier: LCNClassifier, arrays: dict[str, Any], scalings: dict[str, list[Any]]
) -> Problem | None:
    """Return the problem of a fitted classifier, or None for one on a hypergraph."""
    if "codes" not in arrays:
        return None
    graph = Graph(_matrix(arrays, "graph"), classifier.nodes_)
    found = {name: _scaling(name, kind, thin, arrays) for name, (kind, thin) in scalings.items()}
    problem = Problem(
        graph,
        classifier.classes_,
        arrays["codes"],
        _matrix(arrays, "features"),
        _matrix(arrays, "other"),
        arrays.get("table"),
        found.get("scale"),
        found.get("other_scale"),
    )
    if "axes_centre" in arrays:  # rounding may turn axes that are computed again
        axes = PrincipalAxes(arrays["axes_centre"], arrays["axes_directions"])
        beside = Surroundings(arrays["beside_mean"], arrays["beside_factor"])
        vars(problem).update(principal_axes=axes, surroundings=beside)
    return problem


def _scaling(name: str, kind: str | None, thin: bool, arrays: dict[str, Any]) -> Scaling:
    """Return the scaling that was saved under ``name``."""
    tails = None
    if f"{name}_tails_columns" in arrays:
        tails = Tails(*(arrays[f"{name}_tails_{part}"] for part in ("columns", "origin", "unit")))
    return Scaling(kind, thin, arrays.get(f"{name}_mean"), arrays.get(f"{name}_spread"), tails)


def _matrix_arrays(K: Any, name: str) -> dict[str, np.ndarray]:
    if sparse.issparse(K):
        parts = {"data": K.data, "indices": K.indices, "indptr": K.indptr, "shape": K.shape}
        return {f"{name}_{part}": np.asarray(values) for part, values in parts.items()}
    return {f"{name}_factor": K.left} if isinstance(K, LowRank) else {f"{name}_dense": K}


def _matrix(arrays: dict[str, np.ndarray], name: str) -> Any:
    """Return the matrix that was saved under ``name``, or None if there is none."""
    if f"{name}_dense" in arrays:
        return arrays[f"{name}_dense"]
    if f"{name}_factor" in arrays:
        return LowRank(arrays[f"{name}_factor"])
    if f"{name}_data" not in arrays:
        return None
    data, indices, indptr = (arrays[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
    rows, columns = (int(size) for size in arrays[f"{name}_shape"])
    return checked_csr(data, indices, indptr, (rows, columns))
