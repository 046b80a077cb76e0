"""A step that is repeated many times, recorded once as a CUDA graph.

An epoch on a small graph is about a hundred kernels of a few microseconds, and launching them one
by one takes longer than running them. A CUDA graph launches all of them at once. The step must
read and write the same memory each time and never look at a result on the CPU.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch

WARM_UP = 3
"""Steps run as they are first: libraries choose their algorithms, the optimizer its state."""


@contextmanager
def repeating(
    step: Callable[[], None],
    device: torch.device,
    generators: Sequence[torch.Generator],
    wanted: bool,
) -> Iterator[Callable[[], None]]:
    """Yield what to call instead of ``step``: the same, on a GPU from its graph where possible.

    ``generators`` are those the step draws from; they advance as they would without the graph,
    so the numbers drawn are the same. Where recording fails, a RuntimeWarning says why and steps
    go on as they are.
    """
    if not (wanted and device.type == "cuda"):
        yield step
        return
    # Not the default stream, which cannot be recorded and which autograd would remember.
    stream = torch.cuda.Stream(device)
    stream.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(stream):
        yield Repeated(step, stream, generators)
    torch.cuda.current_stream(device).wait_stream(stream)


class Repeated:
    """Runs a step ``WARM_UP`` times, then records it, then replays the record."""

    def __init__(
        self,
        step: Callable[[], None],
        stream: torch.cuda.Stream,
        generators: Sequence[torch.Generator],
    ) -> None:
        self.step, self.stream, self.generators = step, stream, generators
        self.calls = 0
        self.run = step

    def __call__(self) -> None:
        """One more step."""
        if self.calls == WARM_UP:
            self.run = self._recorded()
        self.calls += 1
        self.run()

    def _recorded(self) -> Callable[[], None]:
        default = torch.cuda.default_generators[self.stream.device_index]
        # Recording leaves a generator unusable if it fails; these are what to go back to.
        states = [(g, g.clone_state()) for g in (default, *self.generators)]
        try:
            return record(self.step, self.stream, self.generators)
        except RuntimeError as problem:
            for generator, state in states:
                generator.graphsafe_set_state(state)
            # To leave a failed recording fails as well; why is what came before.
            reason = str(problem.__context__ or problem).partition("\n")[0]
            warnings.warn(
                f"the training step runs kernel by kernel: no CUDA graph of it ({reason})",
                RuntimeWarning,
                stacklevel=2,
            )
            return self.step


def record(
    step: Callable[[], None], stream: torch.cuda.Stream, generators: Sequence[torch.Generator]
) -> Callable[[], None]:
    """A CUDA graph of ``step``, which is recorded and not run, as a function that runs it."""
    graph = torch.cuda.CUDAGraph()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions of torch do it on their own, and say so
        for generator in generators:
            graph.register_generator_state(generator)
    torch.cuda.synchronize(stream.device)
    with torch.cuda.graph(graph, stream=stream):
        step()
    return graph.replay
