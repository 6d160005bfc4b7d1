"""What is known about the separability of some rows, and the exact numbers that prove it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from rosenblatt.proofs.check.record import STATUSES, Claim, Record, Verification

Array = NDArray[Any]
Path = str | os.PathLike[str]
Label = Any


@dataclass(frozen=True, eq=False, repr=False)
class Certificate(Record):
    """Separable or not, with the proof.

    Throughout, z_i = y_i (x_i, 1), or y_i x_i without an intercept, and y_i is +1 for the class
    ``positive`` and −1 for the other. Rows count from 0.

    Attributes
    ----------
    status : str
        "separable": some (w, b) has z_i·(w, b) > 0 for every row.
        "quasi-separable": some direction has z_i·(w, b) >= 0 for every row and > 0 for some, none
        is > 0 for all.
        "inseparable": every direction that is not 0 for all rows is < 0 for some: the classes
        overlap, and a logistic regression has its estimate.
        "undecided": the time ran out, or floats cannot tell and the set is too large for rationals;
        ``margin`` is the best interval known. Rows that cancel, where there are any, still prove
        that nothing separates; whether a direction moves some rows is open then.
    margin : tuple of float
        (low, high), the largest geometric margin max min_i y_i (w·x_i + b)/‖w‖ lies between. (0, 0)
        where no separator exists.
    rows : ndarray of int64
        Separable: the rows that bound the margin from above; where the interval is narrow, the
        support rows. Otherwise: rows that cancel.
    weights : tuple of int
        Exact and positive, one for each of ``rows``. Separable: Σ λ_i z_i has the length that
        bounds the margin from above. Otherwise Σ λ_i z_i = 0 (Gordan), which no separator allows.
    coef : ndarray of shape (d,), float64, or None
        A separator's w, of length 1; where there is a ``direction``, that, rounded to floats.
    intercept : float
        Its b; 0.0 without an intercept.
    direction : tuple of int, or None
        Quasi-separable: the direction (w_1, …, w_d, b), exactly. Separable: None, unless no floats
        separate (1e300 and 5e-324 in one column, say); then this does, and ``margin`` is from 0.
    overlap : Overlap or None
        Inseparable and quasi-separable: positive weights on *all* rows that lie on the plane (all
        rows where inseparable) with Σ λ_i z_i = 0: no direction moves any of them off it (Stiemke).
    diverging : ndarray of shape (d,), int8
        The sign with which a logistic regression's estimate runs off to infinity, −1 or +1: that of
        ``direction``, or of ``coef`` where the set is separable. Quasi-separable: 0 where the rows
        that stay on the plane fix the estimate, and for features that are combinations of those
        before them, the intercept first, as one-hot columns are: they have none of their own.
        Separable: 0 where the separator has no use for the feature; no estimate is finite.
    radius : float
        R >= max ‖x_i‖, above it by rounding alone.
    mistakes, epochs : int
        What the perceptron run made, through the rows in their order from w = 0, until ``epochs``
        ended; ``converged`` tells whether the last was clean. A note, not a claim, like
        ``seconds``; it is only checked not to contradict the claims.
    positive, negative : label
        The class that counts as +1, and the other one; ``negative`` is None for all the rest.
    fit_intercept : bool
    shape : tuple of int
        (n, d).
    digest : str
        SHA-256 of the numbers and signs that the proof is about.
    feature_names : tuple of str, or None
    seconds : float
        How long it took to find.
    """

    def verify(
        self, X: Any, y: Any, *, feature_names: tuple[str, ...] | None = None
    ) -> Verification:
        """Check every claim from nothing, in exact arithmetic.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : labels of shape (n,)
            The data that the proof is about.
        feature_names : tuple of str, optional
            What the columns are called, where X does not say so itself.

        Returns
        -------
        Verification
            True in a condition if all claims hold; ``failed`` names the first that does not.

        Raises
        ------
        ValueError
            ``X`` or ``y`` is no data that could have been certified.
        """
        from rosenblatt.proofs.check.verify import verify

        return verify(self, X, y, feature_names)

    def save(self, path: Path) -> None:
        """Write the proof to ``path`` as JSON text, whole or not at all."""
        from rosenblatt.proofs.files import save

        save(self, path)

    @staticmethod
    def load(path: Path) -> Certificate | Certificates:
        """Read what :meth:`save` wrote.

        Raises
        ------
        ProofError
            The file holds no proof.
        """
        from rosenblatt.proofs.files import load

        proof = load(path, Certificate)
        return proof if isinstance(proof, Certificate) else Certificates(proof)


class Certificates(Mapping[Label, Certificate]):
    """One certificate for each class against the rest, by label.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rosenblatt import certify
    >>> flowers = load_iris()
    >>> proofs = certify(flowers.data, flowers.target_names[flowers.target])
    >>> {str(name): proof.status for name, proof in proofs.items()}
    {'setosa': 'separable', 'versicolor': 'inseparable', 'virginica': 'inseparable'}
    """

    def __init__(self, proofs: Mapping[Label, Certificate]) -> None:
        self._proofs = dict(proofs)
        if not self._proofs:
            raise ValueError("Certificates needs one certificate at least.")

    def __getitem__(self, label: Label) -> Certificate:
        return self._proofs[label]

    def __iter__(self) -> Iterator[Label]:
        return iter(self._proofs)

    def __len__(self) -> int:
        return len(self._proofs)

    def __repr__(self) -> str:
        lines = (f"{label!r}: {proof!r}" for label, proof in self._proofs.items())
        return f"Certificates({', '.join(lines)})"

    @property
    def status(self) -> str:
        """The worst of the classes: undecided, then inseparable, quasi-separable, separable."""
        return max((proof.status for proof in self.values()), key=STATUSES.index)

    def verify(self, X: Any, y: Any) -> Verification:
        """As :meth:`Certificate.verify`, class after class; and that no class of y is missing."""
        from rosenblatt.proofs.check.data import as_labels, as_matrix, feature_names
        from rosenblatt.proofs.check.verify import verify_arrays

        claims, names, X = [self.covers(y)], feature_names(X), as_matrix(X)
        labels = as_labels(y, X.shape[0])
        for label, proof in self.items():
            if not claims[-1].holds:
                break
            for claim in verify_arrays(proof, X, labels, names).claims:
                claims.append(Claim(f"{label}: {claim.text}", claim.holds, claim.why))
        return Verification(tuple(claims))

    def covers(self, y: Any) -> Claim:
        """Whether each class of the labels y has its proof, and no other."""
        from rosenblatt.proofs.check.data import as_labels, classes_of

        why = self._coverage_fault(classes_of(as_labels(y, len(y))))
        return Claim("every class has its proof", not why, why)

    def _coverage_fault(self, labels: list[Label]) -> str:
        for label, proof in self.items():
            if label != proof.positive or proof.negative is not None:
                return f"the proof under {label!r} is of {proof.positive!r}"
            if proof.fit_intercept != next(iter(self.values())).fit_intercept:
                return "some are with an intercept, some without"
        missing = [label for label in labels if label not in self]
        return f"{missing[0]!r} has none" if missing else ""

    def save(self, path: Path) -> None:
        """As :meth:`Certificate.save`, all classes in one file."""
        from rosenblatt.proofs.files import save

        save(self, path)
