"""Dense kernels need no more memory than the guard reckons with."""

import pytest


def test_dense_kernels_need_no_more_than_their_estimate(tmp_path):
    """Peak memory of a fresh process, beside what the guard reckons with."""
    import subprocess
    import sys

    from lovasz.base.memory import BYTES_PER_ENTRY

    n = 1500
    code = f"""
import networkx as nx, lovasz
from lovasz.kernels import KERNELS
graph = lovasz.as_graph(nx.cycle_graph({n}))
lovasz.kernel(nx.cycle_graph(50), "NAME")
def memory(field):
    return int(next(l for l in open("/proc/self/status") if l.startswith(field)).split()[1]) * 1024
open("/proc/self/clear_refs", "w").write("5")
before = memory("VmRSS")
lovasz.kernel(graph, "NAME")
print(memory("VmHWM") - before)
"""
    if not sys.platform.startswith("linux"):
        pytest.skip("peak memory is read from /proc, which only Linux has")
    for name in ("laplacian", "heat", "ppr"):
        used = subprocess.run(
            [sys.executable, "-c", code.replace("NAME", name)],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        assert int(used) < 1.15 * BYTES_PER_ENTRY * n * n, name
