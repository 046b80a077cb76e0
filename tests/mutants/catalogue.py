"""Small errors, each with the tests that must notice it.

Each entry has the text to replace, which occurs once in the file, what to put there, and the tests:
a file, a test in it (``::``), or tests whose names match (``-k``).
"""

from typing import NamedTuple


class Mutant(NamedTuple):
    """One error."""

    file: str
    """The file in ``src/lovasz``."""
    old: str
    """Text that occurs exactly once in the file."""
    new: str
    """What replaces it."""
    killer: str
    """What pytest is asked to run; at least one of these tests must fail."""


CERTIFY = "tests/number/proofs/test_certify.py"
SPARSE = "tests/number/proofs/test_certify_sparse.py"
PROBABLE = (
    "tests/number/proofs/test_probable.py"
    " -k 'close or reach or right or rounding or images or left or rounded or unlikely'"
)
ELIMINATION = "tests/number/proofs/test_elimination.py"
HOFFMAN = "tests/number/proofs/test_hoffman.py -k 'exact or others or formula'"
WEIGHTS = "tests/number/test_weights.py -k 'between or raised or kernel or size'"
PERFECT = "tests/number/test_weights.py -k perfect_graph"
BRACKET = "tests/number/test_bracket.py"
CHANNEL = "tests/number/symmetry/test_z_channel.py -k without_time"
STOPPED = "tests/number/symmetry/test_lazy.py -k stop"
REDUCE = (
    "tests/number/reduction/test_reduce.py"
    " -k 'representatives or dominance or crown or square or heavier or bipartite'"
)
BITS = "tests/number/reduction/test_reduce.py -k 'larger and dense_graph'"
COUNTING = "tests/number/reduction/test_combinatorial.py"
COMPOSE = "tests/number/reduction/test_compose.py"
ROUNDING = "tests/base/test_rounding.py"
DEADLINE = "tests/base/test_deadline.py"
INTERRUPTS = "tests/base/test_interrupts.py"
STORAGE = "tests/classify/test_storage.py"
FILES = "tests/base/test_files.py"
HOSTILE = "tests/graphs/test_hostile_files.py -k 'disagree or quoted or market'"
BUDGET = "tests/graphs/test_memory_of_readers.py -k 'gigabytes or large or nine'"
BAD = "tests/graphs/test_read_bad.py"
WRITTEN = "tests/graphs/test_read_write.py"
GUARD = "tests/app/test_guard.py"
MARKUP = "tests/pages/report/test_markup.py"
SINGULAR = "tests/verification/test_checker.py -k 'last_bit or negative_row or rounding'"
DOUBLES = "tests/verification/test_checker.py -k 'doubles'"
REGULAR = "tests/verification/test_checker.py -k 'strongly'"
PROOFS = "tests/verification/test_proof_file.py -k 'digest'"
TEMPLATE = "tests/pages/test_template.py"

CATALOGUE: dict[str, list[tuple[str, str, str]]] = {
    "number/proofs/certify.py": [
        ("diagonal - gamma(len(S) + 6) * float(diagonal.sum())", "diagonal", CERTIFY),
        ("gamma(len(S) + 6)", "gamma(len(S)) / 8", CERTIFY),
        (" or diagonal.max() < TINY", "", CERTIFY),
        (" * (1 + 8 * n * UNIT)", "", CERTIFY),
        ("error = gamma(3 * n + 16) * ", "error = 0 * ", CERTIFY),
        ("edge_values.clip(min=0) if variant is Variant.SZEGEDY else ", "", CERTIFY),
        ("np.maximum((excess + excess.T) / 2, 0)", "(excess + excess.T) / 2", CERTIFY),
        ("(excess + excess.T) / 2", "excess", CERTIFY),
        ("            return math.inf", "            return step", CERTIFY),
        ("variant.nearest(gone.copy(), *graph.edges())", "gone.copy()", CERTIFY),
        (
            "        except scipy.linalg.LinAlgError:\n            return False",
            "        except scipy.linalg.LinAlgError:\n            return True",
            CERTIFY,
        ),
        ("return bool(info == 0)", "return True", CERTIFY),
    ],
    "number/proofs/certify_sparse.py": [
        ("Cholesky(K - 2 * rounding * eye", "Cholesky(K", SPARSE),
        ("error = 2 * gamma(terms) * ", "error = 0 * ", SPARSE),
        ("missed = float(np.abs(z) @ error)", "missed = 0.0", SPARSE),
        ("math.fsum((most * most).tolist())", "0", SPARSE),
        ("most = np.abs(e) + error", "most = np.abs(e)", SPARSE),
        (" * (1 + gamma(n + 8))", "", SPARSE),
        ("lost = np.abs(R) + doubt", "lost = np.abs(R)", SPARSE),
        ("np.maximum(R + doubt, 0)", "np.maximum(R, 0)", SPARSE),
        ("(above - error) / below", "above / below", SPARSE),
        ("excess = np.bincount(i, lost, graph.n) + ", "excess = ", SPARSE),
    ],
    "number/proofs/probable.py": [
        ("errors = gamma(terms) * ", "errors = 0 * ", PROBABLE),
        ("sizes[-1] / (s - lost)", "1 / (s - lost)", PROBABLE),
        ("at - 8 * UNIT * widest", "at", PROBABLE),
        ("np.sqrt(squares) * (1 + 1e-6)", "np.sqrt(squares)", PROBABLE),
        ("s - DRAWN * math.sqrt(n)", "s", PROBABLE),
        ("chance * math.pi**2 / 4", "chance * math.pi**2", PROBABLE),
        ("last / ratios[j]", "last", PROBABLE),
    ],
    "number/proofs/elimination.py": [
        ("if not ((diagonal > 0) & np.isfinite(diagonal)).all()", "if False", ELIMINATION),
        ("inverse = 1 / pivots", "inverse = 1 / diagonal[chosen]", ELIMINATION),
        ("- R.T @ R", "+ R.T @ R", ELIMINATION),
        ("sparse.tril(lower, k=-1).T", "lower.T", ELIMINATION),
        (".T @ half", ".T @ half * 2", ELIMINATION),
        ("np.minimum.reduceat", "np.maximum.reduceat", ELIMINATION),
    ],
    "number/proofs/hoffman.py": [
        ("bound_exact(depth)[1]", "bound_exact(depth)[0]", HOFFMAN),
        ("bound_exact(exact)[0]", "bound_exact(exact)[1]", HOFFMAN),
        ("upper = round_up(", "upper = round_down(", HOFFMAN),
        ("inverse = round_down(", "inverse = round_up(", HOFFMAN),
        ("return np.array_equal(expected, A @ A)", "return True", HOFFMAN),
        ("expected = b + (a - b) * A", "expected = a + (b - a) * A", HOFFMAN),
    ],
    "verification/checker.py": [
        ("shift, rng = 1.01 * g / (1 - g) * S.diagonal().sum()", "shift, rng = 0.0", SINGULAR),
        ("if not (diagonal > 0).all()", "if False", SINGULAR),
        ("- 2 * lost", "", DOUBLES),
        ("pivot < 0 or (pivot == 0 and column.any())", "pivot < 0", SINGULAR),
        ("b = b if (square == ", "b = b if True or (square == ", REGULAR),
        ("demand(together.sum() == pairs,", "demand(True,", PROOFS),
        (" and (bound >= 0).all()", "", PROOFS),
        ("2 * len(e) == sizes[x] * (sizes[x] - 1)", "True", PROOFS),
        ("2 * len(e) == sizes[x] ** 2", "True or 0 == sizes[x] ** 2", PROOFS),
        (" and (part[i] > 0).all()", "", PROOFS),
    ],
    "verification/proof_file.py": [
        ("demand(lower >= Fraction(low)", "demand(True or Fraction(low)", PROOFS),
        ("demand(upper <= Fraction(high)", "demand(True or Fraction(high)", PROOFS),
        ("exact is None or lower == exact == upper", "True", PROOFS),
    ],
    "number/symmetry/lazy.py": [
        ("graph.n + 2 * graph.m", "graph.n", STOPPED),
    ],
    "number/symmetry/scheme.py": [
        ("found.prices if found.optimal else ()", "found.prices", STOPPED),
    ],
    "number/symmetry/characters.py": [
        ("if not found.optimal:", "if False:", STOPPED),
    ],
    "number/symmetry/z_channel.py": [
        ("n == 1 or fits", "True", CHANNEL),
    ],
    "number/reduction/reduce.py": [
        ("if weights is not None or (counts", "if (counts", REDUCE),
        ("= partners, False", "= heads, False", REDUCE),
        ("further = representative[representative]", "further = representative", REDUCE),
    ],
    "number/reduction/dominance.py": [
        ("weights[u] < weights[v]", "weights[u] > weights[v]", REDUCE),
        ("degree[v] < degree[u] or light", "degree[v] < degree[u]", REDUCE),
        ("bits[u, k] & ~bits[v, k]", "bits[v, k] & ~bits[u, k]", BITS),
        ("if x != v and lists.alive[x]", "if x != v and not lists.alive[x]", REDUCE),
        ("place == row.size or row[place] != x", "place == row.size", REDUCE),
        ("                        _flip(bits, x, v)", "                        pass", BITS),
    ],
    "number/reduction/crowns.py": [
        ("heads = right & ~left", "heads = left & ~right", REDUCE),
        ("mate[1, heads]", "np.flatnonzero(heads)", REDUCE),
        ("component[mate[0, u]] != u", "component[mate[0, u]] == u", REDUCE),
        ("(left == right)", "(left != right)", REDUCE),
    ],
    "number/reduction/neighbour_lists.py": [
        ("        neighbours[stop] = v\n", "        neighbours[k] = v\n", REDUCE),
    ],
    "number/reduction/compose.py": [
        ("t = max(s.upper for s in solutions)", "t = min(s.upper for s in solutions)", PERFECT),
        ("lower=max(s.lower", "lower=sum(s.lower", PERFECT),
        (
            "sum_rounded([s.lower for s in solutions], down)",
            "sum_rounded([s.lower for s in solutions], up)",
            PERFECT,
        ),
        (
            "sum_rounded([s.upper for s in solutions], up)",
            "sum_rounded([s.upper for s in solutions], down)",
            PERFECT,
        ),
        ("sum_rounded(weights, down)", "sum_rounded(weights, up)", PERFECT),
        ("sum_rounded(weights, up)", "sum_rounded(weights, down)", PERFECT),
        ("c / c[representative]", "c[representative] / c", COMPOSE),
        ("(1 - 4 * UNIT * len(c)) / t", "1 / t", COMPOSE),
        ("submatrix(sparse.csr_array(K), back)", "sparse.csr_array(K)", COMPOSE),
    ],
    "number/reduction/combinatorial.py": [
        ("sum_rounded(w[chosen].tolist(), down)", "sum_rounded(w[chosen].tolist(), up)", COUNTING),
        ("sum_rounded(heaviest.tolist(), up)", "sum_rounded(heaviest.tolist(), down)", COUNTING),
        ("indptr[node + 1]]] = False", "indptr[node + 1]]] = True", COUNTING),
        ("fit = fit[mark[fit] == member]", "fit = fit[1:]", COUNTING),
        ("and not adjacent[node, v]", "and adjacent[node, v]", COUNTING),
        ("elif side[v] == side[node]", "elif False", COUNTING),
        ("np.sqrt(w / heaviest[clique])", "np.sqrt(heaviest[clique] / w)", COUNTING),
        ("right[~reached_right]", "right[reached_right]", COUNTING),
        ("                alive[v] = False\n", "                pass\n", COUNTING),
    ],
    "number/variants.py": [
        (
            '"schrijver": 1, "szegedy": -1',
            '"schrijver": -1, "szegedy": 1',
            "tests/number/test_variants.py -k three_differ",
        ),
        ("X = X.clip(min=0)", "X = X.clip(max=0)", CERTIFY),
        (
            ".clip(max=0) if self is Variant.SZEGEDY",
            ".clip(min=0) if self is Variant.SZEGEDY",
            CERTIFY,
        ),
    ],
    "number/weights.py": [
        (" - self.added", "", WEIGHTS),
        ("else up(nearest, 1)", "else nearest", WEIGHTS),
        ("lower = round_down(", "lower = round_up(", WEIGHTS),
        ("int(small.sum()) * Fraction(least)", "0", WEIGHTS),
        ("np.sqrt(scaled / used)", "np.sqrt(used / scaled)", WEIGHTS),
    ],
    "number/bracket.py": [
        ("if weight >= self.lower", "if weight <= self.lower", BRACKET),
        ("if upper < self.upper", "if upper > self.upper", BRACKET),
        ("if lower > self.lower", "if True", BRACKET),
    ],
    "base/rounding.py": [
        (
            "return moved if (lost > 0) == (moved > total) and lost else total",
            "return total",
            ROUNDING,
        ),
        ("if Fraction(nearest) <= x else down(nearest, 1)", "", ROUNDING),
        ("k * UNIT / (1 - k * UNIT)", "k * UNIT", ROUNDING),
    ],
    "base/interrupts.py": [
        ("        if not self.made:", "        if False:", INTERRUPTS),
        ("            if self.repeated:", "            if False:", INTERRUPTS),
        ("return main and ", "return ", INTERRUPTS),
        ('startswith("<frozen importlib")', 'startswith("<nothing")', INTERRUPTS),
    ],
    "base/deadline.py": [
        ("fits = self.left() > seconds", "fits = self.left() >= seconds", DEADLINE),
        ("self._whole.missed = True", "pass", DEADLINE),
        ("and seconds >= 0", "", DEADLINE),
    ],
    "base/files.py": [
        ("final = wanted.resolve()", "final = wanted", FILES),
        ("        temporary.unlink(missing_ok=True)", "        pass", FILES),
        ("        _move_back(moved)\n", "", FILES),
        ("            kept[number] = aside / str(number)\n", "", FILES),
        ("            _check_place(final, Path(name))", "            pass", FILES),
    ],
    "base/cells.py": [
        ('FORMULA = "=+-@', 'FORMULA = "=+-', "tests/base/test_cells.py"),
        ("and not _NUMBER.fullmatch(text)", "", "src/lovasz/base/cells.py"),
    ],
    "base/text.py": [
        ('c.isprintable() or c in "\\n\\t"', "True", "src/lovasz/base/text.py"),
    ],
    "classify/storage.py": [
        (
            "if digest == _digest(about, data)",
            "if True",
            STORAGE,
        ),
        ('b"\\0" + packed', 'b"\\0"', STORAGE),
        ('text.encode() + b"', 'b"', STORAGE),
        ('"arrays.npz", NEXT)', '"arrays.npz",)', STORAGE),
        ("    _check_sizes(classifier)\n", "", STORAGE),
        (' or about.get("format") != FORMAT', "", STORAGE),
        ("sort_keys=True", "sort_keys=False", STORAGE),
        ("tuple(map(_from_json, name[", "list(map(_from_json, name[", STORAGE),
    ],
    "graphs/formats/archives.py": [
        ("indices.max() < columns", "indices.max() <= columns", HOSTILE),
        ("and indptr[-1] == indices.size", "", HOSTILE),
        ("        and bool((indptr[1:] >= indptr[:-1]).all())", "        # ", HOSTILE),
        ("indices.min() >= 0 and ", "", HOSTILE),
        ("allow_pickle=False", "allow_pickle=True", BAD),
        ("bytes_per_entry=PEAK", "bytes_per_entry=0", BUDGET),
    ],
    "graphs/formats/arrays.py": [
        ('io.BytesIO(data.rstrip() + b"\\n")', "io.BytesIO(data)", HOSTILE),
        ("if least > len(data) - start + 2", "if False", BAD),
    ],
    "graphs/formats/dimacs.py": [
        ("if not 1 <= end <= n", "if not 0 <= end <= n", BAD),
        ("[u - 1 for u in source]", "[u % n for u in source]", WRITTEN),
        ("if len(rows) - 1 != m", "if False", BAD),
    ],
    "graphs/formats/graph6.py": [
        ("if bits.size != (pairs + 5) // 6 * 6", "if False", BAD),
        ("if number >= n or node >= n", "if number >= n", WRITTEN),
    ],
    "graphs/formats/edgelist.py": [
        ("if not isfinite(value)", "if False", BAD),
        ("if edges.directed and not symmetrize", "if False", BAD),
    ],
    "graphs/source.py": [
        (
            "            if size > budget:\n                raise",
            "            if False:\n                raise",
            BUDGET,
        ),
    ],
    "graphs/counts.py": [
        ("bytes_per_entry=bytes_per_node", "bytes_per_entry=0", BAD + " -k depends"),
    ],
    "graphs/formats/lines.py": [
        ("elif text.startswith('\"\"', end)", "elif False", HOSTILE),
    ],
    "graphs/formats/hyperedges.py": [
        (" and _ascending(bounds)", "", HOSTILE),
        (" or array.item() < 0", "", HOSTILE),
    ],
    "graphs/formats/markup.py": [
        ('[&"]', '["]', WRITTEN),
        ("if (bad := _NO_XML.search(name)) is not None", "if (bad := None) is not None", WRITTEN),
        ("return escape(name, {", "return str(name or {", WRITTEN),
    ],
    "pages/template.py": [
        ("autoescape=True", "autoescape=False", TEMPLATE),
        ("clean(value) if isinstance(value, str)", "value if isinstance(value, str)", TEMPLATE),
    ],
    "pages/style.py": [
        ("return escape(line)", "return Markup(line)", MARKUP),
        ("return broken or character in _REVERSING", "return broken", "tests/pages/test_style.py"),
    ],
    "pages/viewer/encoding.py": [
        ('"<>&\\N', '">&\\N', "tests/pages/viewer/test_encoding.py"),
    ],
    "app/guard.py": [
        ("len(host) != 1 or host[0].lower() not in self.hosts", "len(host) != 1", GUARD),
        ("len(origin) != 1 or origin[0].lower() not in self.origins", "len(origin) != 1", GUARD),
        ("if not origin and scope", "if False and scope", GUARD),
        ("if not secrets.compare_digest(token, self.token)", "if False", GUARD),
        ("script-src 'self'", "script-src 'unsafe-inline'", GUARD),
        ("frame-ancestors 'none'", "frame-ancestors *", GUARD),
        ("if len(host) != 1 or", "if", GUARD),
    ],
}
"""The errors by file."""

MUTANTS = [Mutant(file, *entry) for file, entries in CATALOGUE.items() for entry in entries]
"""The errors as a list."""
