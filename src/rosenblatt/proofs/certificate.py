"""Certificates: the separability of labelled rows, with the exact numbers that prove it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rosenblatt.proofs.check.record import STATUSES, Claim, Label, Record, Verification
from rosenblatt.proofs.notes import EqualRows, Notes, RowIndex
from rosenblatt.utils.arrays import ArrayLike, Matrix
from rosenblatt.utils.shown import to_html

Path = str | os.PathLike[str]


@dataclass(frozen=True, eq=False, repr=False)
class Certificate(Record):
    """Separability of two classes, with the proof.

    Throughout, z_i = y_i (x_i, 1), or y_i x_i without an intercept, and y_i is +1 for the class
    ``positive`` and −1 for the other. Rows count from 0.

    Attributes
    ----------
    status : str
        "separable": some (w, b) has z_i·(w, b) > 0 for every row.
        "quasi-separable": some direction has z_i·(w, b) >= 0 for every row and > 0 for at least
        one, but none has > 0 for all.
        "inseparable": every direction has z_i·(w, b) < 0 for some row, or = 0 for all: the classes
        overlap, and the maximum-likelihood estimate of a logistic regression exists.
        "undecided": the time limit ended the search, or floats are not precise enough and the data
        is too large for rationals; ``margin`` is the best known interval. With a margin of (0, 0),
        ``rows`` and ``weights`` prove that the data is not separable, and only the distinction of
        quasi-separable and inseparable is open.
    margin : tuple of float
        (low, high), an interval of the maximal geometric margin max min_i y_i (w·x_i + b)/‖w‖.
        (0, 0) if no separator exists. For a run with an offset, the γ of `rosenblatt.audit` is that
        of the rows (x, 1), with ‖(w, b)‖ for ‖w‖: at most as large, and for another hyperplane.
    rows : ndarray of int64
        Separable: rows that bound the margin from above; if ``determined``, the support rows, which
        determine it. Otherwise: rows with positive weights for which Σ λ_i z_i = 0.
    weights : tuple of int
        Exact and positive, one for each of ``rows``. Separable: with an intercept, λ_i normalised
        to sum 1 in each class by itself, the margin is at most ½ ‖Σ λ_i y_i x_i‖, half the distance
        of the weighted means; without, λ_i normalised to sum 1, at most ‖Σ λ_i y_i x_i‖. Otherwise
        Σ λ_i z_i = 0, so no separator exists (Gordan's theorem).
    determined : bool
        Whether it is proved that ``rows`` and ``weights`` determine the margin: their bound is the
        maximal margin, exactly, and ``high`` is that number rounded up. The proof is in rationals:
        small sets have it, up to about 60 support rows of floats or 150 of pixels, and up to 4
        million numbers. False says nothing: the rows are candidates then.
    coef : ndarray of shape (d,), float64, or None
        w of a separator, of length 1; with a ``direction``, its w rounded to floats: these separate
        nothing, and have any length, where the lower end of ``margin`` is 0.
    intercept : float
        b of the separator; 0.0 without an intercept.
    direction : tuple of int, or None
        Quasi-separable: the direction (w_1, …, w_d, b), exactly. Separable: None, unless floats
        attain only a smaller margin than ``tol`` allows, as the offset of rows near 1e15 is too
        coarse; then the exact separator, a multiple of (w, b) with ‖w‖ = 1 to rounding, and
        ``margin`` is that of the direction. If no floats separate (for instance with 1e300 and
        5e-324 in one column), the lower end of ``margin`` is 0, and ‖w‖ any.
    overlap : Overlap or None
        Inseparable and quasi-separable: positive weights on *all* rows of the plane (all rows if
        inseparable) with Σ λ_i z_i = 0: no direction separates any of them (Stiemke's theorem).
    diverging : ndarray of shape (d,), int8
        The sign, −1 or +1, with which a logistic regression's coefficient diverges to infinity:
        that of ``direction``, or of ``coef`` if the data is separable. Quasi-separable: 0 if the
        rows on the plane determine the coefficient, and for features that are linear combinations
        of the intercept and earlier features, as one-hot columns are, which have no coefficient of
        their own. Separable: 0 if the separator does not use the feature; no estimate is finite.
        Verification checks the signs against the direction, not that the zeros are determined. Of
        sparse sets with more than 200 rows and columns, of which features of one sign decide three
        quarters, and of all with more than 4,000, linear combinations have a sign, too.
    radius : float
        R >= max ‖x_i‖, larger only by rounding.
    mistakes, epochs, converged : int, int, bool
        Of a perceptron run on the rows in order, from w = 0; ``converged`` is True if its last
        epoch had no mistake. These are notes like ``seconds``, not claims; the verification only
        checks that they do not contradict the claims. All 0 if rounding misled the run.
    positive, negative : label
        The class that counts as +1, and the other class; ``negative`` is None for one class against
        the rest.
    fit_intercept : bool
    shape : tuple of int
        (n, d).
    digest : str
        SHA-256 of the numbers and signs of the data.
    feature_names : tuple of str, or None
    numbers : str
        Which numbers the claims are about: "binary64", if float64 holds all of them; "decimal", if
        not, but all have finitely many decimals; "rational".
    seconds : float
        Duration of the search.

    Examples
    --------
    >>> from rosenblatt import certify
    >>> proof = certify([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, 0, 0])
    >>> proof.status, proof.rows.tolist(), proof.weights
    ('inseparable', [0, 1, 2, 3], (1, 1, 1, 1))
    """

    def __str__(self) -> str:
        """Return the report of ``rosenblatt certify``."""
        from rosenblatt.proofs.report import report

        return report(self)

    def _repr_html_(self) -> str:
        return to_html(str(self))

    @property
    def verification(self) -> Verification | None:
        """The claims as :func:`rosenblatt.certify` verified them on the data.

        None for a certificate from a file or from ``dataclasses.replace``.
        """
        return self.notes.verification

    @property
    def labels_of_rows(self) -> tuple[Label, ...] | None:
        """The labels of ``rows`` in the index of the certified table; ``rows`` are positions.

        None without an index, or if it counts the rows from 0.
        """
        index = self.notes.index
        return None if index is None else tuple(index.labels[row] for row in self.rows.tolist())

    @property
    def equal_rows(self) -> EqualRows | None:
        """Pairs of equal rows with opposite labels: their ``count``, and the first ten ``pairs``.

        None if the data is separable, or the certificate is from a file.
        """
        return self.notes.equal_rows

    @property
    def notes(self) -> Notes:
        """Verification, index and equal rows. Files and ``dataclasses.replace`` drop them."""
        notes: Notes = self.__dict__.get("_notes", Notes())
        return notes

    def with_notes(self, notes: Notes) -> Certificate:
        """Return a copy of the certificate with other notes."""
        proof = replace(self)
        proof.__dict__["_notes"] = notes
        return proof

    def with_index(self, index: RowIndex | None) -> Certificate:
        """Return the certificate with other labels of the rows; keep the other notes.

        Parameters
        ----------
        index : labels of the rows, or None
        """
        return self.with_notes(replace(self.notes, index=index))

    def with_feature_names(self, names: tuple[str, ...] | None) -> Certificate:
        """Return the certificate with other names of the features; keep its notes.

        Names of another number than the columns drop the notes.
        """
        proof = replace(self, feature_names=names)
        valid = names is None or len(names) == self.shape[1]
        return proof.with_notes(self.notes) if valid else proof

    def verify(
        self, X: Matrix, y: ArrayLike, *, feature_names: tuple[str, ...] | None = None
    ) -> Verification:
        """Verify every claim on the data, in exact arithmetic, independently of the search.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : labels of shape (n,)
            The certified data. A proof about decimals wants ``Decimal`` or ``Fraction``: floats are
            other numbers.
        feature_names : tuple of str, optional
            Names of the columns, if X has none.

        Returns
        -------
        Verification
            True as a condition if all claims hold; ``failed`` names the first that does not.

        Raises
        ------
        ValueError
            ``X`` or ``y`` is not valid data, as in :func:`rosenblatt.certify`.
        """
        from rosenblatt.proofs.check.verify import verify

        return verify(self, X, y, feature_names)

    def save(self, path: Path) -> None:
        """Write the proof to ``path`` as JSON text; on failure ``path`` is unchanged."""
        from rosenblatt.proofs.files import save

        save(self, path)

    @staticmethod
    def load(path: Path) -> Certificate | Certificates:
        """Read a file that :meth:`save` wrote; another file is a ``ProofError``.

        Parameters
        ----------
        path : str or path
        """
        from rosenblatt.proofs.files import load

        proof = load(path, Certificate)
        return proof if isinstance(proof, Certificate) else Certificates(proof)


class Certificates(Mapping[Label, Certificate]):
    """A mapping of each class to its certificate, of that class against the rest.

    Parameters
    ----------
    proofs : mapping of label to Certificate
        The certificate of each class against the rest.

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
            raise ValueError("Certificates needs at least one certificate.")

    def __getitem__(self, label: Label) -> Certificate:
        return self._proofs[label]

    def __iter__(self) -> Iterator[Label]:
        return iter(self._proofs)

    def __len__(self) -> int:
        return len(self._proofs)

    def __repr__(self) -> str:
        lines = (f"{label!r}: {proof!r}" for label, proof in self._proofs.items())
        return f"Certificates({', '.join(lines)})"

    def __str__(self) -> str:
        """Return a table of the classes, as ``rosenblatt certify`` prints it."""
        from rosenblatt.proofs.report import class_report

        return class_report(self)

    def _repr_html_(self) -> str:
        return to_html(str(self))

    @property
    def status(self) -> str:
        """The worst status of a class: undecided, inseparable, quasi-separable, then separable."""
        return max((proof.status for proof in self.values()), key=STATUSES.index)

    def verify(self, X: Matrix, y: ArrayLike) -> Verification:
        """Verify the certificate of each class, as :meth:`Certificate.verify`; all must exist."""
        from rosenblatt.proofs.check.data import as_labels, exact_rows, feature_names
        from rosenblatt.proofs.check.verify import verify_rows

        claims, names, rows = [self.covers(y)], feature_names(X), exact_rows(X)
        labels = as_labels(y, rows.shape[0])
        for label, proof in self.items():
            if not claims[-1].holds:
                break
            for claim in verify_rows(proof, rows, labels, names).claims:
                claims.append(Claim(f"{label}: {claim.text}", claim.holds, claim.why))
        return Verification(tuple(claims))

    def covers(self, y: Any) -> Claim:
        """Return the claim that the certificates are of the classes of the labels y."""
        from rosenblatt.proofs.check.data import as_labels, classes_of

        why = self._coverage_fault(classes_of(as_labels(y, len(y))))
        return Claim("every class has its certificate", not why, why)

    def _coverage_fault(self, labels: list[Label]) -> str:
        for label, proof in self.items():
            if label != proof.positive or proof.negative is not None:
                return f"the certificate of {label!r} is about {proof.positive!r}"
            if proof.fit_intercept != next(iter(self.values())).fit_intercept:
                return "only some are with an intercept"
        missing = [label for label in labels if label not in self]
        return f"{missing[0]!r} has none" if missing else ""

    def save(self, path: Path) -> None:
        """Write the certificates of all classes to one file, as :meth:`Certificate.save`."""
        from rosenblatt.proofs.files import save

        save(self, path)
