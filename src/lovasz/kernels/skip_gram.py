"""Skip-gram with negative sampling (Mikolov et al. 2013), with walks in place of sentences.

Two vectors per node, z and c, are trained to distinguish the pairs (u, v) that are at most
``window`` steps apart on a walk from pairs (u, v') with v' drawn from noise:

    max  Σ_(u,v)  log σ(z_u · c_v) + Σ_k log σ(−z_u · c_v'),    v' ~ visits^¾

by stochastic gradient ascent with a step that falls linearly. As in word2vec, the window of every
node of a walk is drawn from 1 to ``window``.
"""

from __future__ import annotations

import numpy as np

from lovasz.base.compiled import compiled

LEAST_STEP = 1e-4
"""Smallest step relative to the first, as in word2vec."""


def skip_gram(
    paths: np.ndarray,
    vectors: np.ndarray,
    *,
    window: int,
    negatives: int,
    epochs: int,
    lr: float,
    rng: np.random.Generator,
) -> None:
    """Train the rows of ``vectors``, in place, on the walks in the rows of ``paths``.

    >>> start = np.full((3, 2), 0.1, dtype=np.float32)
    >>> paths, rng = np.array([[0, 1, 0, 1]], dtype=np.int32), np.random.default_rng(0)
    >>> skip_gram(paths, start, window=1, negatives=1, epochs=9, lr=0.1, rng=rng)
    >>> (start != np.float32(0.1)).any(axis=1).tolist()
    [True, True, False]
    """
    n = len(vectors)
    noise = np.cumsum(np.bincount(paths.ravel(), minlength=n) ** 0.75)
    noise /= noise[-1]
    # The search in ``noise`` for a number in [k/n, (k+1)/n) starts at guide[k], and takes two
    # steps on average.
    guide = np.searchsorted(noise, np.arange(n) / n, side="right")
    contexts, step = np.zeros_like(vectors), np.float32(lr)
    _skip_gram(paths, vectors, contexts, noise, guide, window, negatives, epochs, step, rng)


@compiled(fastmath=True)
def _skip_gram(
    paths: np.ndarray,
    vectors: np.ndarray,
    contexts: np.ndarray,
    noise: np.ndarray,
    guide: np.ndarray,
    window: int,
    negatives: int,
    epochs: int,
    lr: np.float32,
    rng: np.random.Generator,
) -> None:
    """Train ``vectors`` and ``contexts`` in place."""
    count, length = paths.shape
    change = np.empty(vectors.shape[1], dtype=np.float32)
    for turn in range(epochs * count):
        rate = lr * np.float32(max(LEAST_STEP, 1 - turn / (epochs * count)))
        path = paths[turn % count]
        for i in range(length):
            reach = 1 + int(rng.random() * window)  # so that near nodes count more
            for j in range(max(0, i - reach), min(length, i + reach + 1)):
                if j != i:
                    _learn(
                        vectors[path[j]], path[i], contexts, noise, guide, negatives, rate,
                        change, rng,
                    )  # fmt: skip


@compiled(fastmath=True)
def _learn(
    vector: np.ndarray,
    seen: int,
    contexts: np.ndarray,
    noise: np.ndarray,
    guide: np.ndarray,
    negatives: int,
    rate: np.float32,
    change: np.ndarray,
    rng: np.random.Generator,
) -> None:
    """Move ``vector`` towards the context of ``seen`` and away from the contexts of noise."""
    change[:] = 0
    for k in range(negatives + 1):
        node = seen if k == 0 else _noise(noise, guide, rng)
        if k > 0 and node == seen:
            continue
        context = contexts[node]
        score = np.float32(0)
        for d in range(vector.size):
            score += vector[d] * context[d]
        wanted = np.float32(1 if k == 0 else 0)
        step = rate * (wanted - np.float32(1) / (np.float32(1) + np.exp(-score)))
        for d in range(vector.size):
            change[d] += step * context[d]
            context[d] += step * vector[d]
    for d in range(vector.size):
        vector[d] += change[d]


@compiled
def _noise(noise: np.ndarray, guide: np.ndarray, rng: np.random.Generator) -> int:
    """A node drawn from the distribution of the noise."""
    u = rng.random()
    node: int = guide[int(u * guide.size)]
    while noise[node] <= u:
        node += 1
    return node
