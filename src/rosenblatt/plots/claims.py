"""The perceptron's theorem as a picture: a floor and a ceiling that meet."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import rosenblatt
from rosenblatt.claims import Claims
from rosenblatt.plots import style
from rosenblatt.plots.style import BLUE, GREY, INK, PALE, VERMILION
from rosenblatt.trace import Trace

Array = NDArray[Any]

FEW = 40  # mistakes that get a mark each


class ClaimsDisplay:
    """Claim 1 and Claim 2 against the mistakes t, and where they leave no room.

    Left, along the run: u·w_t stays on or above u·w_0 + tηγ (Claim 1), ‖w_t‖ on or below
    √(‖w_0‖² + tη²R²) (Claim 2), and u·w_t ≤ ‖w_t‖ between. Right, the floor and the ceiling go
    on until they meet, from w_0 = 0 at t = (R/γ)²: there are no more mistakes than that. Where no
    u separates the rows there is no floor, and Claim 2 is left. Make one by `from_claims` or
    `from_trace`. Lecture rows L0.5, L1.4, L3.4, L4.6.

    Parameters
    ----------
    claims : Claims

    Attributes
    ----------
    axes_ : pair of matplotlib Axes
    figure_ : matplotlib Figure
    norm_, projection_ : matplotlib artists
        ‖w_t‖ and u·w_t; the latter None where no u exists.
    bound_ : matplotlib artist or None
        The vertical line at the bound, where there is one.

    Examples
    --------
    >>> from rosenblatt import claims, toys
    >>> from rosenblatt.textbook import origin_perceptron
    >>> toy = toys.separable(50, 2)
    >>> run = origin_perceptron(toy.X, toy.y)
    >>> display = ClaimsDisplay.from_claims(claims.check(run, toy.u))
    >>> display.claims.mistakes <= display.claims.bound
    True
    """

    def __init__(self, claims: Claims) -> None:
        self.claims = claims

    @classmethod
    def from_claims(cls, claims: Claims) -> ClaimsDisplay:
        """Show claims that are checked, by `rosenblatt.claims.check` or `rosenblatt.audit`."""
        return cls(claims)

    @classmethod
    def from_trace(cls, run: Trace, u: ArrayLike | None = None, b: float = 0.0) -> ClaimsDisplay:
        """Check the claims along a recorded run, and show them.

        Parameters
        ----------
        run : Trace
        u : array of shape (d,), default None
            The direction; None takes the one of maximal margin, if there is one.
        b : float, default 0
            Its offset, where the run learns one.

        Raises
        ------
        ValueError
            As `rosenblatt.audit` does.
        """
        return cls(rosenblatt.audit(run, u, b))

    @style.dressed
    def plot(self, axes: Any = None) -> ClaimsDisplay:
        """Draw both panels, on a pair of axes or on a new picture.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        if axes is None:
            axes = style.figure(10, 4.4).subplots(1, 2)
        self.axes_ = run, bound = tuple(axes)
        self.figure_ = run.figure
        self._draw_run(run)
        if np.isfinite(self.claims.bound):
            self._draw_bound(bound)
        else:
            self.bound_ = None
            self._draw_nothing(bound)
        return self

    def _draw_run(self, ax: Any) -> None:
        """Both sides of both claims, mistake by mistake."""
        claims, t = self.claims, self.claims.t
        marks = {"linewidth": 1.6, "markersize": 4, "zorder": 3}
        square, dot = ("s", "o") if claims.mistakes <= FEW else ("", "")
        ceiling = np.sqrt(claims.most)
        (most,) = ax.plot(t, ceiling, color=VERMILION, linestyle="dashed")
        (self.norm_,) = ax.plot(t, np.sqrt(claims.sqnorm), color=VERMILION, marker=square, **marks)
        handles, labels = [most, self.norm_], ["the most ‖wₜ‖ may be", "‖wₜ‖"]
        self.projection_ = None
        if claims.projection is not None and claims.least is not None:
            (self.projection_,) = ax.plot(t, claims.projection, color=BLUE, marker=dot, **marks)
            (least,) = ax.plot(t, claims.least, color=BLUE, linestyle="dashed")
            ax.fill_between(t, claims.least, ceiling, color=PALE, zorder=0)
            handles += [self.projection_, least]
            labels += ["u·wₜ", "the least u·wₜ may be"]
        style.plain(ax)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set(xlabel="t, the mistakes so far")
        style.legend(ax, handles, labels)
        if claims.failure is None:
            style.title(ax, "Both claims hold", "u·wₜ grows like t, ‖wₜ‖ at most like √t")
        else:
            step, _, why = claims.failure
            style.title(ax, f"At step {step} an assumption fails", why.replace("-", "−"))

    def _draw_bound(self, ax: Any) -> None:
        """Floor and ceiling until they have met, the mistakes made, and the most there can be."""
        claims, k = self.claims, self.claims.mistakes
        t = np.linspace(0, 1.15 * max(claims.bound, k, 1), 400)
        ceiling = np.sqrt(claims.sqnorm[0] + t * (claims.eta * claims.R) ** 2)
        floor = t * claims.eta * claims.gamma
        if claims.least is not None:
            floor += claims.least[0]
        ax.plot(t, ceiling, color=VERMILION, linestyle="dashed")
        ax.plot(t, floor, color=BLUE, linestyle="dashed")
        ax.fill_between(t, floor, ceiling, where=floor <= ceiling, color=PALE, zorder=0)
        self.bound_ = ax.axvline(claims.bound, color=INK, linewidth=1.4)
        ax.axvline(k, color=INK, linewidth=1.4, linestyle="dotted")
        ax.margins(x=0, y=0.12)
        style.plain(ax)
        ax.set(xlabel="t, the mistakes so far")
        over = {"xycoords": ax.get_xaxis_transform(), "fontsize": 10}
        style.note(ax, f"{k} made", (k, 0.94), (5, 0), ha="left", **over)
        words = f"at most {claims.bound:,.4g}"
        style.note(ax, words, (claims.bound, 0.06), (-5, 0), ha="right", **over)
        evidence = f"R = {claims.R:.3g}, γ = {claims.gamma:.3g}"
        if not claims.sqnorm[0]:
            evidence += f", (R/γ)² = {claims.bound:,.4g}"
        style.title(ax, "Floor and ceiling must meet", evidence)

    def _draw_nothing(self, ax: Any) -> None:
        """Say why there is no bound."""
        why = "no u exists" if self.claims.u is None else "this u does not separate the rows"
        ax.set(xticks=[], yticks=[], facecolor=PALE)
        ax.spines[:].set_visible(False)
        middle = {"ha": "center", "va": "center", "transform": ax.transAxes}
        ax.text(0.5, 0.5, why, color=GREY, fontsize=16, **middle)
        style.title(ax, "No floor, no bound", f"{self.claims.mistakes} mistakes so far")
