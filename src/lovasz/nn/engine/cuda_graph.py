"""A step that is repeated many times and recorded once as a CUDA graph.

An epoch on a small graph is about a hundred kernels of a few microseconds each, and launching them
one by one takes longer than running them. A CUDA graph launches all of them at once. The step must
read and write the same memory each time, and it must never look at a result on the CPU.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch

WARM_UP = 3
"""Number of steps that are run before the recording. In these, libraries choose their algorithms
and the optimizer creates its state."""


@contextmanager
def repeating(
    step: Callable[[], None],
    device: torch.device,
    generators: Sequence[torch.Generator],
    wanted: bool,
) -> Iterator[Callable[[], None]]:
    """Yield what to call instead of ``step``: it does the same, on a GPU from a CUDA graph.

    ``generators`` are those the step draws from; they advance as they would without the graph, so
    the numbers drawn are the same. If the recording fails, a RuntimeWarning says why and the
    steps are run as they are.
    """
    if not (wanted and device.type == "cuda"):
        yield step
        return
    # The default stream cannot be recorded, and autograd would remember it.
    stream = torch.cuda.Stream(device)
    stream.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(stream):
        yield Repeated(step, stream, generators)
    torch.cuda.current_stream(device).wait_stream(stream)


class Repeated:
    """A step that is run ``WARM_UP`` times, then recorded, and from then on replayed."""

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
        """Run one more step."""
        if self.calls == WARM_UP:
            self.run = self._recorded()
        self.calls += 1
        self.run()

    def _recorded(self) -> Callable[[], None]:
        default = torch.cuda.default_generators[self.stream.device_index]
        # A failed recording leaves the generators unusable; restore these states in that case.
        states = [(g, g.clone_state()) for g in (default, *self.generators)]
        try:
            return record(self.step, self.stream, self.generators)
        except RuntimeError as problem:
            for generator, state in states:
                generator.graphsafe_set_state(state)
            # Leaving a failed recording fails as well; the reason is the error before that.
            reason = str(problem.__context__ or problem).partition("\n")[0]
            warnings.warn(
                f"the training step runs kernel by kernel, because recording it failed ({reason})",
                RuntimeWarning,
                stacklevel=2,
            )
            return self.step


def record(
    step: Callable[[], None], stream: torch.cuda.Stream, generators: Sequence[torch.Generator]
) -> Callable[[], None]:
    """Record ``step`` as a CUDA graph without running it; return a function that runs the graph."""
    graph = torch.cuda.CUDAGraph()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions of torch do it on their own and warn
        for generator in generators:
            graph.register_generator_state(generator)
    torch.cuda.synchronize(stream.device)
    with torch.cuda.graph(graph, stream=stream):
        step()
    return graph.replay
