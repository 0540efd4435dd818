"""Power by simulation, and plans run on tables that were collected anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

from pydantic import NonNegativeInt, PositiveInt

from understudy.actions.analyze import Analyzed, analyzed_file
from understudy.actions.casts import cast_from, level_from
from understudy.actions.power import PowerQuestion, power_points
from understudy.api.border import Count, with_guarded_methods
from understudy.api.findings import figure_of, findings_frame, findings_text
from understudy.api.progress import progress
from understudy.api.studies import StudyLike, located
from understudy.cli.power import power_sentences
from understudy.deferred.pandas import pd
from understudy.errors import TableError
from understudy.parquet import write_frame
from understudy.report import write_report
from understudy.report.planning import power_chart
from understudy.schema import AnalysisPlan, Findings, PowerPoint
from understudy.schema.readable import findings_html, table_html, titled_html

if TYPE_CHECKING:
    import altair as alt


@with_guarded_methods
@dataclass(frozen=True, repr=False)
class Power:
    """How often simulated studies support each hypothesis, over a grid of sizes and effects.

    Examples
    --------
    >>> found = power("loan-demo", "explanation=shown", n=(20,), effects=(0.6,))  # doctest: +SKIP
    >>> found.figure()  # doctest: +SKIP
    """

    points: tuple[PowerPoint, ...]
    currency: str = ""

    def table(self) -> pd.DataFrame:
        """Return a row for each hypothesis, size and effect."""
        return pd.DataFrame([point.model_dump() for point in self.points])

    def figure(self, target: float = 0.8) -> alt.FacetChart:
        """Return the curves as an Altair chart, with a line at the wished power."""
        return power_chart(self.points, target=target)

    def __str__(self) -> str:
        """Say what the simulated studies found, in sentences."""
        return "\n".join(power_sentences(self.points, smallest=None, target=0.8, currency=self.currency))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        headings = ("hypothesis", "people per condition", "effect", "power", "low", "high", "to recruit")
        rows = [
            (point.hypothesis_id, point.quota, point.effect, point.power, point.low, point.high, point.mean_recruited)
            for point in self.points
        ]
        return titled_html("SIMULATED: power", table_html(headings, rows))


@with_guarded_methods
@dataclass(frozen=True, repr=False)
class Analysis:
    """What a plan finds in a table that was collected elsewhere; always exploratory.

    Examples
    --------
    >>> analysis = analyze("answers.csv", "plan.toml")  # doctest: +SKIP
    >>> analysis.table()  # doctest: +SKIP
    """

    analyzed: Analyzed

    @property
    def findings(self) -> Findings:
        """A finding for each hypothesis of the plan."""
        return self.analyzed.findings

    @property
    def plan(self) -> AnalysisPlan:
        """The plan that was run."""
        return self.analyzed.plan

    def table(self) -> pd.DataFrame:
        """Return a row for each hypothesis."""
        return findings_frame(self.findings)

    def figure(self, name: str = "effects") -> alt.VConcatChart:
        """Return a figure as an Altair chart: `effects`, or the id of a hypothesis."""
        return figure_of(self.findings, name, points=self.analyzed.points, plan=self.plan)

    def report(self, path: str | Path) -> Path:
        """Write the findings as one self-contained page."""
        write_report(self.findings, Path(path), plan=self.plan, points=self.analyzed.points)
        return Path(path)

    def __str__(self) -> str:
        """Return the findings as the command line prints them."""
        return findings_text(self.findings)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return findings_html(self.findings)


def power(
    study: StudyLike,
    on: str,
    *,
    n: Count | Sequence[Count] = (20, 40, 80),
    effects: float | Sequence[float] = (0.0, 0.5),
    simulations: Count = 200,
    seed: NonNegativeInt = 1,
    workers: PositiveInt | None = None,
) -> Power:
    """Simulate the whole study, including its plan, over numbers of people per condition and effect sizes.

    `on` says where the effect acts, as factor=level, such as "explanation=shown".

    Examples
    --------
    >>> found = power("loan-demo", "explanation=shown", n=(20, 40), effects=(0.0, 0.6))  # doctest: +SKIP
    >>> print(found)  # doctest: +SKIP
    """
    known, root = located(study)
    sizes = (n,) if isinstance(n, int) else tuple(n)
    shifts = (effects,) if isinstance(effects, int | float) else tuple(effects)
    question = PowerQuestion(
        study=known,
        root=root,
        cast=cast_from(None, known),
        sizes=sizes,
        effects=shifts,
        on=level_from(on, known),
        n_simulations=simulations,
        seed=seed,
    )
    with progress("Simulating studies", len(sizes) * len(shifts) * simulations) as advance:
        points = power_points(question, n_workers=workers, on_progress=advance)
    return Power(points, known.pay.currency if known.pay else "")


def analyze(
    table: Annotated[str | Path | pd.DataFrame, "a data frame of pandas, or the path of a CSV or Parquet file"],
    plan: Annotated[str | Path, "the path of a plan file, or its text"],
    *,
    seed: NonNegativeInt = 0,
) -> Analysis:
    r"""Run a plan on a table: a CSV or Parquet file, or a data frame. The plan is a file, or its text.

    Examples
    --------
    >>> plan = "\n".join(
    ...     [
    ...         'title = "Does it help?"',
    ...         "[table]",
    ...         'participant = "who"',
    ...         "[[factors]]",
    ...         'name = "group"',
    ...         'scope = "between"',
    ...         'levels = ["map", "none"]',
    ...         "[[measures]]",
    ...         'name = "score"',
    ...         'value = "score"',
    ...         'unit = "session"',
    ...         'scale = "continuous"',
    ...         'better = "higher"',
    ...         "[plan]",
    ...         'outcomes = [{ name = "score", measure = "score" }]',
    ...         "[[plan.hypotheses]]",
    ...         'hypothesis_id = "H1"',
    ...         'claim = "It helps."',
    ...         'outcome = "score"',
    ...         'factor = "group"',
    ...         'analysis = "welch_t"',
    ...     ]
    ... )
    >>> rows = {"who": [*"abcdef"], "group": ["map", "none"] * 3, "score": [5, 1, 6, 2, 7, 3]}
    >>> analyze(pd.DataFrame(rows), plan).findings.findings[0].verdict
    'supported'
    """
    with TemporaryDirectory() as folder:
        return Analysis(analyzed_file(_table_file(table, Path(folder)), _plan_file(plan, Path(folder)), seed))


def _table_file(table: str | Path | pd.DataFrame, folder: Path) -> Path:
    if isinstance(table, str | Path):
        return Path(table)
    written = folder / "table.parquet"
    if table.empty:
        raise TableError("The data frame has no rows; a table needs at least one.")
    with written.open("wb") as stream:
        write_frame(table, stream)
    return written


def _plan_file(plan: str | Path, folder: Path) -> Path:
    """Return the file of a plan; text with more than one line is a plan itself."""
    if not (isinstance(plan, str) and "\n" in plan):
        return Path(plan)
    written = folder / "plan.toml"
    written.write_text(plan, encoding="utf-8")
    return written
