"""A small report to render, and a reader of rendered pages."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np

from lovasz.graphs import Graph
from lovasz.pages.report import Method, Report


def make_method(name, accuracy, classes=3, held_out=20, seed=0):
    rng = np.random.default_rng(seed)
    splits = len(accuracy)
    truth = rng.integers(0, classes, splits * held_out)
    right = rng.random(truth.size) < np.repeat(accuracy, held_out)
    predicted = np.where(right, truth, (truth + 1) % classes)
    curve = np.linspace(1, 0.2, 30)[:, None] + rng.normal(0, 0.02, (30, splits))
    confidence = rng.uniform(1 / classes, 1, truth.size)
    return Method(
        name, np.asarray(accuracy), truth, predicted, confidence, curve, curve + 0.1, 1 - curve / 2
    )


LCN = make_method("LCN", [0.9, 0.95, 0.85, 1.0], seed=1)


GCN = make_method("GCN", [0.7, 0.75, 0.6, 0.65], seed=2)


def make_page(n=24, classes=("red", "green", "blue"), labelled=6, methods=(LCN, GCN), **changes):
    rng = np.random.default_rng(0)
    ring = np.arange(n)
    probabilities = rng.dirichlet(np.ones(len(classes)), n)
    labels = np.where(ring < labelled, ring % len(classes), -1)
    page = Report(
        title="A ring",
        graph=Graph.from_edges(ring, (ring + 1) % n, n=n),
        classes=tuple(classes),
        labels=labels,
        probabilities=probabilities,
        embedding=rng.normal(size=(n, 4)),
        methods=tuple(methods),
        protocol="Four splits at random.",
        settings={"kernel": "ls", "seed": "7"},
        command="lovasz classify ring.csv --seed 7",
        notes=("dropped 2 self-loops",),
    )
    return replace(page, **changes)


FIGURES = {
    "losses": "Loss by epoch",
    "curve": "Validation accuracy by epoch",
    "embedding": "Learned embedding",
    "confusion": "Confusion",
}


def figure(html, name):
    found = re.search(rf'<svg[^>]*aria-label="{FIGURES[name]}.*?</svg>', html, re.S)
    return found and found[0]


def drawn(html):
    return {name for name in FIGURES if figure(html, name)}


class Reader(HTMLParser):
    """Tags, ids, addresses, scripts and visible text of a page."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.ids, self.addresses, self.text, self.hidden = [], [], [], [], None
        self.scripts = []
        self.feed(html)
        self.text = re.sub(r"\s+", " ", " ".join(self.text)).replace("\N{NO-BREAK SPACE}", " ")

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.hidden = tag if tag in ("style", "script") else self.hidden
        for key, value in attrs:
            if key == "id":
                self.ids.append(value)
            if key in ("href", "src", "xlink:href", "action", "data", "srcset"):
                self.addresses.append(value)

    def handle_endtag(self, tag):
        self.hidden = None if tag == self.hidden else self.hidden

    def handle_data(self, data):
        if self.hidden is None:
            self.text.append(data)
        elif self.hidden == "script":
            self.scripts.append(data)


def marks(svg):
    """(fill, edge) -> how many markers of that look a drawing has."""
    looks = {}
    for use in re.findall(r"<use [^>]*>", svg):
        style = dict(re.findall(r"(fill|stroke): ([^;\"]+)", use))
        key = style.get("fill"), style.get("stroke")
        looks[key] = looks.get(key, 0) + 1
    return looks
