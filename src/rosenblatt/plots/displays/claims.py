"""Plot of the convergence theorem: the lower and the upper bound on a run's weights."""

from __future__ import annotations

from typing import Self

import numpy as np

import rosenblatt
from rosenblatt.plots import base, checks, style
from rosenblatt.theory.textbook.claims import Claims
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.words import count

FEW = 40  # mistakes that get a mark each


class ClaimsDisplay(base.PanelsDisplay):
    """Claim 1 and Claim 2 against the number of mistakes t, and the bound that they imply.

    Left, for the run: u·w_t ≥ u·w_0 + tηγ (Claim 1), ‖w_t‖ ≤ √(‖w_0‖² + tη²R²) (Claim 2), and
    u·w_t ≤ ‖w_t‖ between. Right, the bound on the mistakes. From w_0 = 0, the lower and the upper
    bound meet at t = (R/γ)². From another start, the squared distance ‖w_t/η − αu‖² to a long
    solution, α = R²/γ, decreases by at least R² with every mistake (Claim 3), and reaches 0 at
    t = ‖w_0/η − αu‖²/R² at the latest. If an assumption fails, the right side is grey; if no u
    separates the rows, there is no lower bound, and only Claim 2 is drawn. Create it by
    `from_claims` or `from_trace`. Lecture rows L0.5, L1.4, L3.4, L4.6.

    Parameters
    ----------
    claims : Claims

    Attributes
    ----------
    axes_ : list of two matplotlib Axes
    figure_ : matplotlib Figure
    norm_, projection_ : matplotlib artists
        ‖w_t‖ and u·w_t; the latter is None if no u exists.
    distance_ : matplotlib artist or None
        ‖w_t/η − αu‖², if the start is not 0.
    bound_ : matplotlib artist or None
        The vertical line at the bound, if there is a bound.

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
    def from_claims(cls, claims: Claims, *, ax: style.Panels | None = None) -> Self:
        """Draw claims that have been checked.

        Parameters
        ----------
        claims : Claims
            Result of `rosenblatt.claims.check` or `rosenblatt.audit`.
        ax : pair of matplotlib Axes, optional
        """
        checks.check_instance(claims, Claims, "claims", "rosenblatt.audit")
        return cls(claims).plot(ax)

    @classmethod
    def from_trace(
        cls,
        run: Trace,
        u: ArrayLike | None = None,
        b: float = 0.0,
        *,
        ax: style.Panels | None = None,
    ) -> Self:
        """Check the claims along a recorded run, and draw them.

        Parameters
        ----------
        run : Trace
        u : array of shape (d,), default None
            The direction; None takes that of maximal margin, if the rows are separable.
        b : float, default 0
            Its offset, for a run with an offset.
        ax : pair of matplotlib Axes, optional
        """
        return cls(rosenblatt.audit(run, u, b)).plot(ax)

    def _panels(self, axes: style.Panels | None) -> style.Panels:
        return style.panels(axes, 2, 2, 5, 4.4)

    def _draw(self, *, new_figure: bool) -> None:
        left, right = self.axes_
        self.distance_: style.Artist | None = None
        self.bound_: style.Artist | None = None
        self._draw_run(left)
        if not np.isfinite(self.claims.bound):
            self._draw_nothing(right)
        elif self.claims.starts_at_zero:
            self._draw_meeting(right)
        else:
            self._draw_distance(right)

    def _draw_run(self, ax: style.Axes) -> None:
        """Draw both sides of Claims 1 and 2 after each mistake."""
        claims, t = self.claims, self.claims.t
        marks = {"linewidth": 1.6, "markersize": 4, "zorder": 3}
        norm, product = ("p", "d") if claims.mistakes <= FEW else ("", "")
        ceiling = np.sqrt(claims.most)
        (upper,) = ax.plot(t, ceiling, color=style.PURPLE, linestyle="dashed")
        (self.norm_,) = ax.plot(t, np.sqrt(claims.sqnorm), color=style.PURPLE, marker=norm, **marks)
        handles, labels = [upper, self.norm_], ["upper bound of ‖wₜ‖", "‖wₜ‖"]
        self.projection_ = None
        if claims.projection is not None and claims.least is not None:
            look = {"color": style.GREEN, "marker": product, **marks}
            (self.projection_,) = ax.plot(t, claims.projection, **look)
            (lower,) = ax.plot(t, claims.least, color=style.GREEN, linestyle="dashed")
            ax.fill_between(t, claims.least, ceiling, color=style.PALE, zorder=0)
            handles += [self.projection_, lower]
            labels += ["u·wₜ", "lower bound of u·wₜ"]
        style.open_frame(ax)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set(xlabel="t, number of mistakes")
        style.legend(ax, handles, labels)
        if claims.failure is None:
            style.title(ax, "Both claims hold", "u·wₜ grows like t, ‖wₜ‖ at most like √t")
        else:
            step, _, why = claims.failure
            fails = "an assumption fails" if claims.failure.decided else "an assumption may fail"
            style.title(ax, f"At step {step} {fails}", style.minus(why))

    def _draw_meeting(self, ax: style.Axes) -> None:
        """Draw the lower and the upper bound until they meet, for w_0 = 0."""
        claims = self.claims
        t = np.linspace(0, 1.15 * max(claims.bound, claims.mistakes, 1), 400)
        ceiling, floor = claims.eta * claims.R * np.sqrt(t), claims.eta * claims.gamma * t
        green, purple = self._colours()
        ax.plot(t, ceiling, color=purple, linestyle="dashed")
        ax.plot(t, floor, color=green, linestyle="dashed")
        ax.fill_between(t, floor, ceiling, where=floor <= ceiling, color=style.PALE, zorder=0)
        ax.margins(x=0, y=0.12)
        self._draw_ends(ax, 0.06)
        radius, gamma = claims.sides.radius.at_most(3), claims.sides.gamma.at_least(3)
        evidence = f"R {radius}, γ {gamma}, ⌊(R/γ)²⌋ = {claims.allowed_text}"
        self._entitle(ax, "The bounds must meet", evidence)

    def _draw_distance(self, ax: style.Axes) -> None:
        """Draw the squared distance to αu and its upper bound, for another start."""
        claims = self.claims
        green, purple = self._colours()
        start = (claims.bound * claims.R**2, 0)  # ‖w_0/η − αu‖²
        (upper,) = ax.plot((0, claims.bound), start, color=purple, linestyle="dashed")
        look = {"color": green, "linewidth": 1.6, "zorder": 3}
        (self.distance_,) = ax.plot(claims.t, claims.distance, **look)
        ax.fill_between((0, claims.bound), start, color=style.PALE, zorder=0)
        highest = max(start[0], self.distance_.get_ydata().max()) or 1.0
        ax.set(xlim=(0, 1.15 * max(claims.bound, claims.mistakes, 1)), ylim=(0, 1.12 * highest))
        self._draw_ends(ax, 0.84)
        style.legend(ax, [upper, self.distance_], ["upper bound of ‖wₜ/η − αu‖²", "‖wₜ/η − αu‖²"])
        noun = "correction" if claims.allowed == 1 else "corrections"
        evidence = f"at most {claims.allowed_text} {noun} from this start"
        self._entitle(ax, "The distance cannot fall below 0", evidence)

    def _draw_ends(self, ax: style.Axes, height: float) -> None:
        """Draw vertical lines at the number of mistakes and at the bound, with labels."""
        claims, k = self.claims, self.claims.mistakes
        colour = style.INK if claims.failure is None else style.GREY
        self.bound_ = ax.axvline(claims.bound, color=colour, linewidth=1.4)
        ax.axvline(k, color=style.INK, linewidth=1.4, linestyle="dotted")
        style.open_frame(ax)
        ax.set(xlabel="t, number of mistakes")
        over = {"xycoords": ax.get_xaxis_transform(), "fontsize": 10}
        style.annotate(ax, f"{k} made", (k, 0.94), (5, 0), ha="left", **over)
        if claims.failure is None:
            bound = f"at most {self.claims.allowed_text}"
            style.annotate(ax, bound, (claims.bound, height), (-5, 0), ha="right", **over)

    def _colours(self) -> tuple[str, str]:
        """Return the colours of u·w and ‖w‖ on the right side: grey if an assumption fails."""
        holds = self.claims.failure is None
        return (style.GREEN, style.PURPLE) if holds else (style.GREY, style.GREY)

    def _entitle(self, ax: style.Axes, finding: str, evidence: str) -> None:
        """Set the title of the right side, or report that the bound does not apply."""
        if self.claims.failure is None:
            style.title(ax, finding, evidence)
        else:
            bound_text = f"it would be {self.claims.bound:,.4g} if no assumption failed"
            decided = self.claims.failure.decided
            what = "The bound does not apply" if decided else "The bound may not apply"
            style.title(ax, what, bound_text)

    def _draw_nothing(self, ax: style.Axes) -> None:
        """Write the reason why there is no bound."""
        why = "no u exists" if self.claims.u is None else "this u does not separate the rows"
        if self.claims.sides.bound is not None:
            why = f"{self.claims.allowed_text} is too many to draw"
        ax.set(xticks=[], yticks=[], facecolor=style.PALE)
        ax.spines[:].set_visible(False)
        middle = {"ha": "center", "va": "center", "transform": ax.transAxes}
        ax.text(0.5, 0.5, why, color=style.GREY, fontsize=16, **middle)
        style.title(ax, "No margin, no bound", f"{count(self.claims.mistakes, 'mistake')} so far")
