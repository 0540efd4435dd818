"""The results that Kim et al. (2022) printed for a method and a task, next to those of a run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from understudy.protocols.kim2022.blocks import MOMENTS, RISKS
from understudy.protocols.kim2022.plan import has_wrong_items
from understudy.protocols.kim2022.published_numbers import (
    AGREEMENT,
    DISTINCTION,
    EXTRA,
    LOCALISATION,
    N_PEOPLE,
    OVERALL,
    SIMILARITY,
    UNDERSTANDING,
    WARM_UP,
    WITH_EXAMPLES,
    Data,
    Share,
    Three,
)
from understudy.protocols.kim2022.variants import TASKS, Method, PaperStudy, Task, is_agreement
from understudy.report import SD, OurNumbers, PrintedTable, PrintedTables, TableColumn, TableLine
from understudy.schema import Study

SOURCE = "Kim, Meister, Ramaswamy, Fong and Russakovsky, ECCV 2022"
_SHARES = (
    TableColumn("n", kind="count"),
    TableColumn("Right, %", 1, times=100),
    TableColumn("SD", 1, times=100, spread=SD),
)
_MEANS = (TableColumn("n", kind="count"), TableColumn("Mean", 1), TableColumn("SD", 1, spread=SD))
_COEFFICIENT = (TableColumn("Coefficient"), TableColumn("p", kind="p"))
_GROUP = ("n", "mean", "sd")
_PLACES: tuple[Data, ...] = ("CUB", "ImageNet")
NOTES = (
    "Printed numbers are of 50 people a study, with birds (CUB) or objects (ImageNet); ours are of this study's photos, "
    "model and people.",
)
_OVERALL_NOTE = (
    "The text says 53.6 per cent; the mean of 66.0 and 37.2 in Table 1 is 51.6. The printed p = .10 fits 53.6."
)
_SIMILARITY_NOTE = (
    "The rows of ProtoPNet agreement were said to be sorted on the page, and to be shuffled in the supplement; the larger "
    "coefficient may come from the order. Agreement between people and model would be negative over ranks."
)
_ENERGY_NOTE = (
    "The printed energy looks too low for the share inside the object of maps with such a pointing game; another divisor "
    "may have been used."
)


class StudyKind(NamedTuple):
    """What kind of study of this protocol a study is."""

    method: Method
    task: Task

    @property
    def printed(self) -> list[PaperStudy]:
        """The studies of the paper of this kind."""
        return [PaperStudy(data, self.method, self.task) for data in _PLACES]


def kind_of(study: Study) -> StudyKind | None:
    """Return the kind of a study by its name, None for a study of another protocol or with several methods."""
    if not study.name.startswith("kim2022-"):
        return None
    kinds = [StudyKind(method, task) for method, tasks in TASKS.items() for task in tasks]
    fitting = [kind for kind in kinds if study.name.endswith(f"{kind.method}-{kind.task}")]
    return max(fitting, key=lambda kind: len(kind.task), default=None)


def published_tables(study: Study) -> PrintedTables | None:
    """Return the printed results for a study of one method and task, None for any other study."""
    kind = kind_of(study)
    if kind is None:
        return None
    tables = (
        _judged(kind) if is_agreement(kind.task) else _chosen(kind),
        *_overall(kind),
        *_similarity(kind),
        _three_times("Understanding (Table A3)", kind, _Times(UNDERSTANDING, "understanding_by_moment", MOMENTS)),
        _three_times(
            "Extra accuracy required, in points (Table A4)", kind, _Times(EXTRA, "extra_accuracy_by_risk", RISKS)
        ),
        *_localisation(kind),
    )
    return PrintedTables(SOURCE, tables, NOTES)


def _judged(kind: StudyKind) -> PrintedTable:
    printed = WITH_EXAMPLES if kind.task == "agreement-examples" else AGREEMENT
    title = "Table A1" if kind.task == "agreement-examples" else "Table 1"
    lines: list[TableLine] = []
    for index, group in enumerate(("right", "wrong")):
        ours = OurNumbers("ours", _GROUP, description="recognised_by_truth", group=group)
        known = [(study.data, printed[study][index]) for study in kind.printed if study in printed]
        lines += _share_lines(f"{group.capitalize()} predictions", known, ours)
    return PrintedTable(
        f"Agreement with {_shown_with(kind.task)} ({title})", _SHARES, tuple(lines),
        ("A rating of 3 or 4 counts as belief. Chance is 50 per cent.",), drawn="Right, %", axis="Predictions recognised, per cent", limits=(0, 100),
    )  # fmt: skip


def _shown_with(task: Task) -> str:
    """Return what a page of agreement shows."""
    return {"agreement-examples": "three photos of the class", "tree-aware": "decisions"}.get(task, "one prediction")


def _chosen(kind: StudyKind) -> PrintedTable:
    lines: list[TableLine] = []
    shares = ("distinction",) if kind.method in ("protopnet", "prototree") else ("distinction", "output")
    groups = ("right", "wrong") if has_wrong_items(kind.method, kind.task) else ("right",)
    for share in shares:
        measured = "decided" if kind.method == "prototree" else share
        for group in groups:
            ours = OurNumbers("ours", _GROUP, description=f"{measured}_by_truth", group=group)
            found = [
                (study.data, getattr(DISTINCTION[study], f"{share}_{group}"))
                for study in kind.printed
                if study in DISTINCTION
            ]
            name = "Output prediction" if share == "output" else "Distinction"
            lines += _share_lines(f"{name}, {group}", found, ours)
    return PrintedTable(
        "Distinction and output prediction (Table 2)", _SHARES, tuple(lines), ("Chance is 25 per cent.",),
        drawn="Right, %", axis="Right answers, per cent", limits=(0, 100),
    )  # fmt: skip


def _share_lines(label: str, printed: Sequence[tuple[str, Share | None]], ours: OurNumbers) -> Iterator[TableLine]:
    """Yield a line for each data set of the paper; ours is next to the first."""
    known = [(data, share) for data, share in printed if share is not None]
    if not known:
        yield TableLine(label, (None, None, None), (ours,))
    for number, (data, share) in enumerate(known):
        mark = "" if share.is_significant else ", not significant"
        yield TableLine(f"{label}, {data}{mark}", (N_PEOPLE, share.mean, share.sd), (ours,) if number == 0 else ())


def _overall(kind: StudyKind) -> Iterator[PrintedTable]:
    study = PaperStudy("CUB", kind.method, kind.task)
    if study not in OVERALL:
        return
    ours = OurNumbers("ours", _GROUP, description="recognised_overall")
    lines = (
        *_share_lines("All predictions", [("CUB", OVERALL[study])], ours),
        TableLine("Exercises about fruit", (None, WARM_UP, None), (OurNumbers("ours", _GROUP, description="warm_up"),)),
    )
    yield PrintedTable("ProtoTree overall", _SHARES, lines, (_OVERALL_NOTE,))


def _similarity(kind: StudyKind) -> Iterator[PrintedTable]:
    study = PaperStudy("CUB", kind.method, kind.task)
    if study not in SIMILARITY:
        return
    printed = SIMILARITY[study]
    ratings = tuple(
        TableLine(label, (None, value, None), (OurNumbers("ours", _GROUP, description=description),))
        for label, value, description in (
            ("Class judged correct", printed.believed, "ratings_if_believed"),
            ("Class judged incorrect", printed.doubted, "ratings_if_doubted"),
        )
    )
    yield PrintedTable("Mean rating of similarity, from 1 to 4", _MEANS, ratings)
    is_ranked = kind.method == "protopnet"
    words = "Spearman over ranks" if is_ranked else "Pearson over ratings"
    ours = OurNumbers("ours", ("effect", "p_value"), hypothesis="ranks_agree" if is_ranked else "similarity_agrees")
    line = TableLine(words, (printed.r, printed.p), (ours,))
    yield PrintedTable("Similarity of people and model", _COEFFICIENT, (line,), (_SIMILARITY_NOTE,))


class _Times(NamedTuple):
    """A table of three means: the printed ones, and where ours are."""

    printed: Mapping[PaperStudy, Three]
    description: str
    groups: Sequence[str]


def _three_times(title: str, kind: StudyKind, times: _Times) -> PrintedTable:
    lines: list[TableLine] = []
    known = [study for study in kind.printed if study in times.printed]
    for index, group in enumerate(times.groups):
        ours = OurNumbers("ours", _GROUP, description=times.description, group=group)
        words = group.replace("accuracy_", "risk: ").capitalize()
        for number, study in enumerate(known):
            row = times.printed[study]
            numbers = (N_PEOPLE, row.means[index], row.sds[index])
            lines.append(TableLine(f"{words}, {study.data}", numbers, (ours,) if number == 0 else ()))
        if not known:
            lines.append(TableLine(words, (None, None, None), (ours,)))
    return PrintedTable(title, _MEANS, tuple(lines))


def _localisation(kind: StudyKind) -> Iterator[PrintedTable]:
    if kind.method != "gradcam":
        return
    columns = (TableColumn("Pointing"), TableColumn("Energy"), TableColumn("IoU"))
    lines = tuple(
        TableLine(f"{row.evaluated_on}, {row.prediction}, map of the {row.map_of}", (row.pointing[0], row.energy[0], row.iou[0]))
        for row in LOCALISATION
    )  # fmt: skip
    yield PrintedTable("Localisation of GradCAM (Table A2)", columns, lines, (_ENERGY_NOTE,))
