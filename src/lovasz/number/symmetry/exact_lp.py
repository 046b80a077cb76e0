"""Small linear programmes in exact arithmetic: the simplex method on integers without fractions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from lovasz.number.solvers.contract import never

PATIENCE = 20
"""Number of pivots without progress after which Bland's rule takes over, which cannot cycle."""


@dataclass(frozen=True)
class Optimum:
    """An optimal pair of :func:`maximise`."""

    value: Fraction
    x: tuple[Fraction, ...]
    """One value per column."""
    prices: tuple[Fraction, ...]
    """The dual solution, one value of at least 0 per row, if the pair is optimal."""
    optimal: bool = True
    """Whether the search came to its end; if not, x is feasible all the same."""


def maximise(
    objective: Sequence[int],
    matrix: Sequence[Sequence[int]],
    bounds: Sequence[int],
    signed: Collection[int] = (),
    stop: Callable[[], bool] = never,
) -> Optimum:
    """Maximise objective · x over matrix · x ≤ bounds, where bounds ≥ 0 and a maximum exists.

    The columns in ``signed`` have x ≥ 0, the others are free. The tableau holds integers over one
    common denominator (Edmonds 1967): every division below leaves no remainder. ``stop`` is asked
    before each step; once it returns true, the answer is the best x so far.

    >>> maximise([1, 1], [[2, 1], [1, 2]], [4, 4], signed={0, 1}).value
    Fraction(8, 3)
    """
    tableau = Tableau(objective, matrix, bounds, signed)
    stuck = 0
    while (column := tableau.entering(cautious=stuck > PATIENCE)) is not None:
        if stop():
            return replace(tableau.optimum(), optimal=False)
        before = Fraction(tableau.rows[-1][-1], tableau.denominator)
        tableau.pivot(tableau.leaving(column), column)
        after = Fraction(tableau.rows[-1][-1], tableau.denominator)
        stuck = 0 if after > before else stuck + 1
    return tableau.optimum()


class Tableau:
    """The equations basic + Σ entry · nonbasic = right side, times a common denominator.

    Variables are numbered: the columns first, then one slack per row. The last row is the
    objective, the last column the right side.
    """

    def __init__(
        self,
        objective: Sequence[int],
        matrix: Sequence[Sequence[int]],
        bounds: Sequence[int],
        signed: Collection[int],
    ) -> None:
        self.width, self.height = len(objective), len(matrix)
        self.rows = [[*row, bound] for row, bound in zip(matrix, bounds, strict=True)]
        self.rows.append([*(-c for c in objective), 0])
        self.denominator = 1
        self.beside = list(range(self.width, self.width + self.height))
        self.above = list(range(self.width))
        self.free = frozenset(range(self.width)) - frozenset(signed)
        self.sign = [1] * self.width

    def entering(self, *, cautious: bool) -> int | None:
        """The column that improves the objective most (or the first, if ``cautious``), or None.

        A free variable may also decrease; its sign is then changed.
        """
        costs, best = self.rows[-1], None
        for j, variable in enumerate(self.above):
            cost = -abs(costs[j]) if variable in self.free else costs[j]
            key = (variable if cautious else cost, variable)
            if cost < 0 and (best is None or key < best[0]):
                best = key, j
        if best is None:
            return None
        column = best[1]
        if costs[column] > 0:
            self.sign[self.above[column]] *= -1
            for row in self.rows:
                row[column] = -row[column]
        return column

    def leaving(self, column: int) -> int:
        """The row whose basic variable first reaches 0; ties go to the lowest number."""
        best: tuple[int, int, int, int] | None = None
        for i, variable in enumerate(self.beside):
            entry, right = self.rows[i][column], self.rows[i][-1]
            if entry <= 0 or variable in self.free:
                continue
            if best is not None:
                difference = right * best[1] - best[0] * entry
                if difference > 0 or (difference == 0 and variable > best[2]):
                    continue
            best = right, entry, variable, i
        if best is None:
            raise ArithmeticError("the linear programme is unbounded")
        return best[3]

    def pivot(self, r: int, s: int) -> None:
        """Exchange the basic variable of row r and the nonbasic one of column s."""
        chosen, last = self.rows[r], self.denominator
        p = chosen[s]
        for i, row in enumerate(self.rows):
            factor = row[s]
            if i == r:
                continue
            if factor == 0:
                self.rows[i] = [x * p // last for x in row] if p != last else row
            else:
                new = [(x * p - factor * y) // last for x, y in zip(row, chosen, strict=True)]
                new[s] = -factor
                self.rows[i] = new
        chosen[s] = last
        self.denominator = p
        self.beside[r], self.above[s] = self.above[s], self.beside[r]

    def optimum(self) -> Optimum:
        """Read the solution off an optimal tableau."""
        x, prices = [Fraction(0)] * self.width, [Fraction(0)] * self.height
        for i, variable in enumerate(self.beside):
            if variable < self.width:
                value = Fraction(self.rows[i][-1], self.denominator)
                x[variable] = self.sign[variable] * value
        for j, variable in enumerate(self.above):
            if variable >= self.width:
                prices[variable - self.width] = Fraction(self.rows[-1][j], self.denominator)
        return Optimum(Fraction(self.rows[-1][-1], self.denominator), tuple(x), tuple(prices))
