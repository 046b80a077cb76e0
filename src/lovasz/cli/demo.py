"""``lovasz demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lovasz.cli.options import Device, Json, Seed
from lovasz.cli.output import show_labelling


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the page and the labels.")] = Path(
        "lovasz-demo"
    ),
    splits: Annotated[int, typer.Option(min=1, help="Random splits to compare on.")] = 10,
    seed: Seed = 0,
    device: Device = "auto",
    json_: Json = False,
) -> None:
    """Label a random graph of three communities, LCN beside GCN, and write a page about it.

    The graph has 500 nodes in 3 blocks; edges have probability .6 inside a block and .4 between
    blocks. 20 % of the nodes are for training, 10 % for validation and 70 % for testing.

    Example: `lovasz demo --out demo/`
    """
    from lovasz.base.files import staged
    from lovasz.workflows.demo import run_demo
    from lovasz.workflows.labelling import FILES

    with staged(out, *FILES) as folder:
        job = run_demo(splits=splits, seed=seed, device=device)
        job.write(folder)
    show_labelling(job, out, json_)
