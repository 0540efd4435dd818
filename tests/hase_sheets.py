"""Sheets in the form that Hase and Bansal (2020) released, with cases of our own, for tests without their data."""

import csv
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

METHODS = ("LIME", "Anchor", "prototype", "decision_boundary", "composite", "omission")
LABELS = {"text": ("neg", "pos"), "tabular": ("below $50K", "above $50K")}
COLUMNS = (
    "domain", "test", "phase", "method", "order", "id", "context", "label", "model", "explanation", "explanation_a",
    "explanation_b", "perturbation",
)  # fmt: skip
MASTER = ("domain", "test", "id", "context", "perturbation", "label", "model", "perturbation_model")
PER_CELL = {"learning": 4, "forward": 8, "counterfactual": 8}


def write_sheets(folder: Path) -> Path:
    """Write both domains, all methods, and the validity sheets, as they would be if nothing were wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = [case for domain in LABELS for case in _cases(domain)]
    master = [{name: case[name] for name in MASTER} for case in cases if case["test"] != "learning"]
    _write(folder / "master.csv", MASTER, master)
    _write(folder / "trials.csv", COLUMNS, [row for case in cases for row in _trials(case)])
    return folder


def _write(path: Path, columns: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, restval="", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def _cases(domain: str) -> Iterator[dict[str, Any]]:
    number = 0
    for test, per_cell in PER_CELL.items():
        for label, model, k in product(LABELS[domain], LABELS[domain], range(per_cell)):
            number += 1
            other = next(one for one in LABELS[domain] if one != model)
            text = f"film {number} was n't fun , was it ?"
            record = f"Age = 28.00 < Age <= 37.00\nWorkclass = ?\nSex = Male\nHours per week = {number}\n"
            edit = f"film {number} was n't **bad** , was it ?"
            yield {
                "domain": domain, "test": test, "id": str(number), "label": label, "model": model,
                "context": text if domain == "text" else record,
                "perturbation": edit if domain == "text" else "Sex : Male --> Female",
                "perturbation_model": model if k % 2 else other,
            }  # fmt: skip


def _trials(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    part = case["test"]
    if part == "learning":
        learning = {**case, "test": "forward", "phase": "learning", "perturbation": ""}
        yield {**learning, "method": "blackbox"}
        yield from ({**learning, "method": method, **explanation(method, case)} for method in METHODS)
        return
    for method, phase in product(METHODS, ("pre", "post")):
        row = {**case, "method": method, "phase": phase}
        if part == "forward":
            row |= {"label": "", "model": "", "perturbation": ""}
        elif phase == "post":
            row |= explanation(method, case)
        yield row


def explanation(method: str, case: dict[str, Any]) -> dict[str, str]:
    """Write what a method would have said about a case, in the released layout."""
    told = _text(case) if case["domain"] == "text" else _tabular(case)
    if method != "composite":
        return {"explanation": told[method]}
    edits = told["edits"]
    return {
        "explanation_a": f"{told['LIME']}\n----\n{told['Anchor']}",
        "explanation_b": f"{edits}\n----\n{told['prototype']}",
    }


def _text(case: dict[str, Any]) -> dict[str, str]:
    model = case["model"]
    other = next(one for one in LABELS["text"] if one != model)
    number = case["id"]
    edited = f"film {number} was n't **bad** , was it ?"
    head = f"Edits for changing prediction to '{other}':"
    return {
        "LIME": "Features: \nfun  |  0.20 \nwas  |  -0.10 \nBaseline evidence: 0.50 \nSum of weights: 0.10 \n"
        "Total evidence: 0.60",
        "Anchor": f"Conditions for model predicting '{model}':\n1. fun \n2. was \n",
        "prototype": f"Most activated prototype (label: {model}) | evidence: +9.74 \nvery nice .\n----\n"
        "Informative words in input:\nwas (2nd) | -0.30\nfun | +1.20",
        "decision_boundary": f"Original evidence margin: +1.00 \n{head}\n\nStep 1. Evidence margin: +0.40\n----\n"
        f"{edited}\n\nStep 2. Evidence margin: -0.20\n----\nfilm {number} **is** n't **bad** , was it ?",
        "edits": f"{head}\n\n{edited}",
        "omission": "Original evidence margin: +1.00 \n\nInformative values in the input:\nfun | +0.40",
    }


def _tabular(case: dict[str, Any]) -> dict[str, str]:
    model = case["model"]
    other = next(one for one in LABELS["tabular"] if one != model)
    hours = case["id"]
    head = f"Edits for changing prediction to '{other}': "
    return {
        "LIME": "Features: \nSex = Male   |  0.20 \n28.00 < Age <= 37.00   |  -0.10 \nBaseline: 0.50 \n"
        "Sum of weights: 0.10 \nTotal evidence: 0.60 ",
        "Anchor": f"Conditions for the model predicting '{model}': \n1. 28.00 < Age <= 37.00 \n2. Workclass = ?",
        "prototype": f"Most activated prototype (label: {model}) | evidence: -9.00 \nVariable | Prototype  --- Original "
        "Input\n----\nAge  |  Age > 48.00   ---   28.00 < Age <= 37.00 \nWorkclass  |  ?   ---   ? \n"
        f"Sex  |  Male   ---   Male \nHours per week  |  7   ---   {hours} \n----\nInformative values in input:\n",
        "decision_boundary": f"Original evidence margin: -2.00 \n{head}\n\nStep 1. \nEvidence margin: -0.50\n"
        "Sex : Male --> Female\n\nStep 2. \nEvidence margin: +0.10\nSex : Male --> Female\nWorkclass : ? --> Private",
        "edits": f"{head}\nSex : Male --> Female\nWorkclass : ? --> Private",
        "omission": "Evidence margin: -2.00 \n\nInformative values in input:\nMale | +0.40\n28.00 < Age <= 37.00 | -0.30",
    }
