"""The parameters of an estimator as scikit-learn wants them, without importing scikit-learn.

Its base class costs a second of imports, among them SciPy's statistics and pandas, which is a third
of the time that a small graph takes.
"""

from __future__ import annotations

from inspect import signature
from typing import Any, Self

from lovasz.base.errors import LovaszError


class Parameters:
    """An estimator whose parameters are the arguments of ``__init__``.

    It works with scikit-learn's ``clone``, cross-validation and searches.
    """

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """Return the default value of each parameter."""
        return {
            name: parameter.default
            for name, parameter in signature(cls.__init__).parameters.items()
            if name != "self"
        }

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; ``deep`` makes no difference."""
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **params: Any) -> Self:
        """Set some parameters by name."""
        known = self._defaults()
        for name, value in params.items():
            if name not in known:
                raise LovaszError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known)}"
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """Return the call that makes this estimator, without parameters at their defaults."""
        defaults = self._defaults()
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value is not defaults[name] and repr(value) != repr(defaults[name])
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that this is a classifier."""
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
        )
