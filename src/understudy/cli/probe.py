"""`understudy probe`: concept tests, from result files to twelve verdicts."""

import json
import shlex
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import typer
from pydantic import JsonValue, ValidationError
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from understudy.actions.probe import folder_of, run_concept, seeds_to_run
from understudy.cli.commands.probe import Output
from understudy.cli.progress import progress
from understudy.errors import UnderstudyError
from understudy.probe import correctness_from_text, nearest_flips, probe, results_from_files
from understudy.probe import probe as verdicts_of
from understudy.probe.picture import PictureOptions, page, require_ending, serve_page, write_picture
from understudy.probe.result_files import ConceptOrder, concept_in
from understudy.probe.verdicts import require_threshold
from understudy.schema import Ref, RuleOptions, Verdicts
from understudy.schema.probe import Comparison, Flip, HypothesisVerdict, Repeats, Sizing

# Print the verdicts of a concept test to a terminal.

_STYLE = {"confirmed": "bold green", "unproven": "dim", "rejected": "yellow"}
_ORDER = ("confirmed", "rejected", "unproven")
_DROPPED = {
    "not_in_all_four": "not in all four tables",
    "missing_value": "missing a value",
    "in_groups_of_one": "alone in their group",
}
_USUAL = 1e-6
"""The lowest threshold that is worth a remark."""
_TESTS = {"t": "paired t tests", "sign_flip": "sign-flip tests", "runs": "t tests over runs and objects"}


def print_verdicts(verdicts: Verdicts, console: Console, paths: Sequence[Path]) -> None:
    """Print results, comparisons, hypotheses, and what was left out."""
    console.print(_head(verdicts))
    console.print(_results(verdicts))
    console.print(_comparisons(verdicts.analyses))
    for note in verdicts.notes:
        console.print(Text(f"  {note}", style="dim"))
    console.print(_hypotheses(verdicts))
    if verdicts.repeats is not None:
        console.print(_repeats(verdicts.repeats))
    if verdicts.groups:
        console.print(_groups(verdicts))
    if verdicts.sizing is not None:
        console.print(_sizing(verdicts.sizing))
    more = shlex.join(["understudy", "probe", *map(str, paths), "--json"])
    console.print(f"\nNext: {more} > verdicts.json", style="dim", markup=False, soft_wrap=True)


def _head(verdicts: Verdicts) -> RenderableType:
    counts = ", ".join(f"{n} {_DROPPED.get(reason, reason)}" for reason, n in verdicts.n_dropped.items())
    correction = "Holm's correction" if verdicts.correction == "holm" else "no correction"
    chosen = verdicts.options.model_dump(exclude_defaults=True)
    options = "".join(f", {name}={value}" for name, value in chosen.items())
    return Group(
        Text(f"Concept: {verdicts.concept}", style="bold"),
        Text(f"{_TESTS[verdicts.test]}, threshold {verdicts.alpha:g}, {correction}{options}", style="dim"),
        Text(f"{verdicts.n_objects:,} objects; left out: {counts}", style="dim"),
    )


def _results(verdicts: Verdicts) -> RenderableType:
    table = _table("result set", "model", "data", "mean score", "95 % interval", "n")
    for result in verdicts.results:
        table.add_row(
            result.id, result.model, result.data, f"{result.mean:.4f}", f"[{result.low:.4f}, {result.high:.4f}]", f"{result.n:,}"
        )  # fmt: skip
    return _titled("Results", table)


def _comparisons(comparisons: Sequence[Comparison]) -> RenderableType:
    is_adjusted = any(comparison.p != comparison.p_adjusted for comparison in comparisons)
    table = _table(
        "test", "difference", "95 % interval", "d", "t", "p", *(["adj. p"] if is_adjusted else []), "says"
    )  # fmt: skip
    for comparison in comparisons:
        is_clear = comparison.outcome != "~"
        says = f"{comparison.left} {comparison.outcome} {comparison.right}"
        cells = [
            comparison.id, f"{comparison.difference:+.4f}", f"[{comparison.low:+.3f}, {comparison.high:+.3f}]",
            _number(comparison.effect, "+.3f"), _number(comparison.t, ".2f"), p_text(comparison.p),
        ]  # fmt: skip
        table.add_row(
            *cells,
            *([p_text(comparison.p_adjusted)] if is_adjusted else []),
            Text(says, style="bold" if is_clear else "dim"),
        )
    return _titled("Six comparisons", table)


def _hypotheses(verdicts: Verdicts) -> RenderableType:
    """Return the hypotheses, confirmed ones first, with their reasons and the thresholds that would change them."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for hypothesis in sorted(verdicts.hypotheses, key=lambda hypothesis: _ORDER.index(hypothesis.state)):
        lines = [Text(hypothesis.sentence), *(Text(line, style="dim") for line in _trace(hypothesis, verdicts))]
        table.add_row(
            Text(hypothesis.id, style="bold"), Text(hypothesis.state, style=_STYLE[hypothesis.state]), Group(*lines)
        )
    return _titled("Twelve hypotheses", table)


def _trace(hypothesis: HypothesisVerdict, verdicts: Verdicts) -> list[str]:
    lines = [f"Caution: {caution.sentence}" for caution in hypothesis.cautions]
    if hypothesis.state == "unproven" and hypothesis.votes:
        lines += [f"{vote.analysis} did not count: {vote.reason}" for vote in hypothesis.muted]
    return [*lines, *_change(nearest_flips(verdicts, hypothesis.id))]


def _change(flips: tuple[Flip | None, Flip | None]) -> list[str]:
    undone, coming = flips
    parts = []
    if undone is not None and undone.alpha >= _USUAL:
        parts.append(f"holds for thresholds above {_threshold(undone.alpha)}")
    if coming is not None:
        parts.append(f"{coming.to} above {_threshold(coming.alpha)}")
    return [f"{'; '.join(parts).capitalize()}."] if parts else []


def _repeats(repeats: Repeats) -> RenderableType:
    shares = _table("hypothesis", "confirmed", "rejected")
    for hypothesis, share in repeats.shares.items():
        shares.add_row(hypothesis, f"{share:.0%}", f"{repeats.rejected[hypothesis]:.0%}")
    tests = _table("test", "difference", "SD of runs", "SD of objects", "df", "p")
    for test in repeats.run_test:
        tests.add_row(
            test.id, f"{test.difference:+.4f}", f"{test.run_sd:.4f}", f"{test.item_sd:.4f}", f"{test.df:.1f}",
            p_text(test.p),
        )  # fmt: skip
    title = f"{repeats.n} training runs: how often a run alone would say so, and how much runs vary"
    return Group(_titled(title, shares), tests)


def _groups(verdicts: Verdicts) -> RenderableType:
    table = _table(verdicts.group_by or "group", "n", "confirmed", "rejected")
    for group in verdicts.groups:
        states = {
            state: " ".join(hypothesis.id for hypothesis in group.verdicts.hypotheses if hypothesis.state == state)
            or "–"
            for state in ("confirmed", "rejected")
        }
        table.add_row(group.name, f"{group.n:,}", states["confirmed"], states["rejected"])
    return _titled(f"By {verdicts.group_by}", table)


def _sizing(sizing: Sizing) -> RenderableType:
    table = _table("test", "SD", "objects needed", "power now", "smallest difference now")
    for needed in sizing.needed:
        n_needed = "–" if needed.n_needed is None else f"{needed.n_needed:,}"
        table.add_row(
            needed.analysis, f"{needed.sd:.4f}", n_needed, _number(needed.power_now, ".3f"), _number(needed.smallest_now, ".4f")
        )  # fmt: skip
    title = f"To see a difference of {sizing.difference:g} with power {sizing.power:g} at threshold {sizing.alpha:.3g}"
    return _titled(title, table)


def p_text(p: float) -> str:
    """Write a p-value, very small ones as a bound."""
    return "<.0001" if p < 0.0001 else f"{p:.4f}"


def _threshold(alpha: float) -> str:
    return f"{alpha:.2g}" if alpha < 0.0001 else f"{alpha:.4f}"


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _titled(title: str, table: Table) -> RenderableType:
    return Group(Text(f"\n{title}", style="bold"), table)


def _table(*headings: str) -> Table:
    table = Table(header_style="bold", pad_edge=False)
    words = {"result set", "model", "data", "test", "says", "hypothesis", "confirmed", "rejected"}
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="left" if number == 0 or heading in words else "right")
    return table


# Output verdicts to the terminal, as JSON, as pictures, or in a browser.


def require_names(output: Output) -> None:
    """Raise an error for picture paths that cannot be written, before any work is done."""
    if output.html is not None and output.html.suffix != ".html":
        raise UnderstudyError(f"--html takes a path that ends in .html, not {output.html.name!r}.")
    if output.svg is not None:
        require_ending(output.svg)


def show(verdicts: Verdicts, paths: list[Path], output: Output) -> None:
    """Print verdicts as tables or as JSON, write the requested pictures, and serve the page until interrupted."""
    if output.as_json:
        typer.echo(verdicts.model_dump_json(indent=2))
    else:
        print_verdicts(verdicts, Console(), paths)
    for path in (output.html, output.svg):
        if path is not None:
            write_picture(verdicts, path, PictureOptions(layout=output.layout))
            sys.stderr.write(f"Wrote {path}.\n")
    if output.serve:
        with serve_page(page(verdicts)) as address:
            sys.stderr.write(f"The picture is at {address}. Stop with Ctrl-C.\n")
            webbrowser.open(address)
            _wait()


def _wait() -> None:
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")


def results(
    paths: list[Path] | None,
    *,
    md: Path | None,
    mp: Path | None,
    pd: Path | None,
    pp: Path | None,
    concept: str | None,
    alpha: float,
    correction: Literal["none", "holm"],
    test: Literal["t", "sign_flip"],
    group_by: str | None,
    group_correction: Literal["holm", "none"],
    correctness: str,
    incomplete: Literal["refuse", "drop"],
    difference: float | None,
    power: float,
    option: list[str] | None,
    seed: int,
    output: Output,
) -> None:
    """Judge results: which hypotheses about the concept are confirmed, and why."""
    require_names(output)
    chosen = _paths(paths or [], {"--md": md, "--mp": mp, "--pd": pd, "--pp": pp})
    function = None if correctness == "equal" else correctness_from_text(correctness)
    results = results_from_files(chosen, correctness=function, incomplete=incomplete)
    verdicts = verdicts_of(
        results,
        alpha=alpha,
        correction=correction,
        test=test,
        options=_options(option or []),
        groups=group_by,
        group_correction=group_correction,
        concept=concept or _name_of(chosen),
        difference=difference,
        power=power,
        seed=seed,
    )
    show(verdicts, chosen, output)


def _paths(paths: list[Path], named: dict[str, Path | None]) -> list[Path]:
    chosen_files = {name: path for name, path in named.items() if path is not None}
    if paths and chosen_files:
        raise UnderstudyError(f"Give paths, or {', '.join(named)}, but not both.")
    if not paths and not chosen_files:
        raise UnderstudyError(f"Give a folder of results, one or four tables, or {', '.join(named)}.")
    missing = [name for name in named if name not in chosen_files]
    if chosen_files and missing:
        raise UnderstudyError(f"{', '.join(missing)} is missing; the four tables are {', '.join(named)}.")
    return paths or list(chosen_files.values())


def _options(words: list[str]) -> RuleOptions:
    """Parse name=value pairs; true and false are in lower case."""
    pairs = dict(word.partition("=")[::2] for word in words)
    try:
        return RuleOptions.model_validate(pairs)
    except ValidationError as error:
        bad = [str(fault["loc"][0]) for fault in error.errors()]
        allowed = "; ".join(f"{name} ({_allowed(name)})" for name in RuleOptions.model_fields)
        pairs_text = ", ".join(f"{name}={pairs[name]}" for name in bad)
        raise UnderstudyError(f"--option {pairs_text} is not known. Choose from: {allowed}.") from None


def _allowed(name: str) -> str:
    allowed = RuleOptions.model_json_schema()["properties"][name].get("enum") or [True, False]
    default = RuleOptions.model_fields[name].default
    return " or ".join(
        f"{json.dumps(value).strip(chr(34))}{' by default' if value == default else ''}" for value in allowed
    )


def _name_of(paths: list[Path]) -> str:
    """Return the concept of stored results, or the name of the folder or single table without its ending, as words."""
    if len(paths) > 1:
        return "the concept"
    known = concept_in(paths[0])
    if known is not None:
        return known
    return (paths[0].resolve().name if paths[0].is_dir() else paths[0].stem).replace("_", " ")


# `understudy probe run`: train both models of a concept test and judge them.


def run(
    concept: str,
    *,
    data: str,
    trainer: str,
    seeds: int,
    n_train: int,
    n_test: int,
    encoding: Literal["quadrants", "side_channel"],
    noise: Literal["uniform", "normal", "shuffled", "empty"],
    concept_param: list[str] | None,
    data_param: list[str] | None,
    trainer_param: list[str] | None,
    confidence: bool,
    out: Path | None,
    alpha: float,
    output: Output,
) -> None:
    """Train both models of a concept test, with and without extra information, and judge their results."""
    require_names(output)
    require_threshold(alpha)
    order = ConceptOrder(
        concept=Ref(name=concept, params=_params(concept_param)),
        dataset=Ref(name=data, params=_params(data_param)),
        trainer=Ref(name=trainer, params=_params(trainer_param)),
        encoding=encoding,
        noise=noise,
        n_train=n_train,
        n_test=n_test,
        keeps_confidence=confidence,
    )
    folder = out or folder_of(order)
    _train(order, range(seeds), folder)
    folders = tuple(folder / f"seed-{seed}" for seed in range(seeds))
    results = [result for path in folders for result in results_from_files([path])]
    verdicts = probe(results, alpha=alpha, concept=concept.replace("_", " "))
    show(verdicts, [folder], output)


def _train(order: ConceptOrder, seeds: range, folder: Path) -> None:
    n_models = 2 * len(seeds_to_run(order, seeds, folder))
    with progress(f"Training {n_models} models", n_models, is_quiet=n_models == 0) as advance:
        run_concept(order, seeds, folder, on_model=lambda _: advance(1))


def _params(words: list[str] | None) -> dict[str, JsonValue]:
    """Parse name=value pairs; a value is JSON if possible, and text otherwise."""
    bad = [word for word in words or [] if "=" not in word]
    if bad:
        raise UnderstudyError(f"{bad[0]!r} is not a parameter. Write it as name=value.")
    return {name: _value(text) for name, _, text in (word.partition("=") for word in words or [])}


def _value(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return text
    return value
