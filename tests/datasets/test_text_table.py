"""Your own sentences: cut at their spaces, given back as they were, and edited with or without word vectors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy import registry
from understudy.datasets import ReviewLines, TextTable
from understudy.errors import MaterialsError
from understudy.models import export_classifier
from understudy.roles import Floats, Sample, Vocabulary
from understudy.schema import Ref


def reads_letters(texts: list[str]) -> Floats:
    """Return a high probability for the sentence in capitals, and elsewhere one that hangs on the number of letters."""
    yes = np.array([0.9 if text == "A Wonderful play, really!" else 0.2 + 0.6 * (len(text) % 2) for text in texts])
    return np.column_stack([1 - yes, yes])


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path / "none"))
    drawn = ReviewLines(split="train").draw(200, np.random.default_rng(1))
    lines = [" ".join(map(str, content["tokens"])) for content in drawn.contents]  # type: ignore[arg-type]
    rows = [f'"{line}",{label}' for line, label in zip(lines, drawn.attributes["label"], strict=True)]
    path = tmp_path / "lines.csv"
    path.write_text("\n".join(["text,label", '"A  Wonderful play, really!",pos', *rows]), encoding="utf-8")
    return path


def inputs_of(sample: Sample) -> Floats:
    assert sample.inputs is not None
    return sample.inputs


def reader_of(sample: Sample, folder: Path) -> Ref:
    return export_classifier(
        reads_letters,
        folder / "mine",
        example=inputs_of(sample),
        takes="texts",
        legend=sample.legend,
        labels=("neg", "pos"),
    )


def test_words_stand_between_spaces_in_the_order_of_the_file(file: Path) -> None:
    sample = TextTable(path=str(file)).whole()
    assert sample.contents[0] == {"tokens": ["A", "Wonderful", "play,", "really!"]}
    assert (len(sample.contents), sample.attributes["label"][0]) == (201, "pos")


def test_a_model_of_texts_gets_the_sentence_as_it_was(file: Path, tmp_path: Path) -> None:
    sample = TextTable(path=str(file)).whole()
    ref = reader_of(sample, tmp_path)
    assert registry.create("models", ref).predict(inputs_of(sample)[:1])[0, 1] == pytest.approx(0.9)


def test_without_vectors_similar_words_have_the_same_neighbours(file: Path, tmp_path: Path) -> None:
    sample = TextTable(path=str(file)).whole()
    ref = reader_of(sample, tmp_path)
    params: Any = {
        "source": {"name": "text_table", "params": {"path": str(file)}},
        "model": ref.model_dump(mode="json"),
    }
    pairs = registry.create("datasets", Ref(name="counterfactuals", params=params)).draw(4, np.random.default_rng(1))
    assert sorted(pairs.attributes["keeps"]) == ["changed", "changed", "same", "same"]


def test_a_torch_module_reads_sentences_of_any_length(file: Path, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra torch")
    pytest.importorskip("onnx", reason="needs the extra torch")
    sample = TextTable(path=str(file)).whole()
    assert isinstance(sample.legend, Vocabulary)
    torch.manual_seed(1)
    module = torch.nn.Sequential(word_sums(torch, len(sample.legend.words)), torch.nn.Linear(4, 2))
    ref = export_classifier(
        module,
        tmp_path / "net",
        example=inputs_of(sample),
        legend=sample.legend,
        labels=("neg", "pos"),
        outputs="logits",
    )
    wider = np.pad(inputs_of(sample), ((0, 0), (0, 7)), constant_values=-1)
    made = registry.create("models", ref)
    np.testing.assert_allclose(made.predict(wider), made.predict(inputs_of(sample)), atol=1e-6)


def word_sums(torch: Any, n_words: int) -> Any:
    """Make the sum of word vectors, where padding counts for nothing."""

    class Words(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.words = torch.nn.Embedding(n_words + 1, 4, padding_idx=0)

        def forward(self, ids: Any) -> Any:
            return self.words(ids.long() + 1).sum(1)

    return Words()


@pytest.mark.parametrize(
    ("content", "params", "words"),
    [
        ("text,label\nfine,pos", {"text": "sentence"}, "has no column 'sentence'. Its columns are: text, label"),
        ("text,label\nfine,pos\n  ,neg", {}, "has no words in sentence 2. Give each row a sentence"),
        ("text,label", {}, "has no words in it"),
        (None, {}, "Items cannot be read from .* Give the path of a CSV file"),
    ],
)
def test_a_file_without_sentences_gets_one_sentence(
    content: str | None, params: dict[str, str], words: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "lines.csv").write_text(content, encoding="utf-8")
    with pytest.raises(MaterialsError, match=words):
        TextTable(path=str(tmp_path / "lines.csv"), **params).whole()
