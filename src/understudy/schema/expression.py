"""The small safe language of rules: comparisons and arithmetic over named quantities, nothing else.

`n_solved < 1`, `kind == 'trial' and rt_ms > 200`, `group in ['a', 'b']`. A missing quantity satisfies no
comparison, `!=` and `not in` included; `missing(x)` asks for it. The same text is evaluated over the numbers of
one session or over whole table columns.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from functools import reduce
from math import inf
from typing import Annotated, Any

from pydantic import AfterValidator

_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.FloorDiv: operator.floordiv,
}
_CAN_FAIL = (operator.truediv, operator.floordiv, operator.mod, operator.pow)
_COMPARE: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
FUNCTIONS = (
    "abs", "all", "any", "count", "first", "last", "max", "mean", "median", "min", "missing", "nunique",
    "round", "sd", "sum",
)  # fmt: skip
"""Functions a rule may call; all but abs, missing and round summarise the rows of a group."""

_N_ARGUMENTS = {"count": (0, 1), "round": (1, 2)}
"""How many arguments a function takes, at least and at most; one if it is not listed."""

_ALLOWED = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Compare,
    ast.In, ast.NotIn, ast.Name, ast.Load, ast.Constant, ast.List, ast.Tuple, ast.Call,
    *_BINARY, *_COMPARE,
)  # fmt: skip


def _parsed(text: str) -> ast.Expression:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(
            f'{text!r} is not a rule. Write a comparison such as "n_correct < 3 and minutes > 2".'
        ) from None
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise ValueError(
                f"{text!r} uses {type(node).__name__}, which a rule may not. "
                "Use names, numbers, text in quotes, comparisons, and/or/not, arithmetic and "
                f"the functions {', '.join(FUNCTIONS)}."
            )
        if isinstance(node, ast.Constant) and not isinstance(node.value, str | int | float):
            raise ValueError(
                f"{text!r} compares with {node.value!r}. Use numbers, text in quotes, true and false; "
                "missing(x) asks whether x is missing."
            )
        if isinstance(node, ast.Call):
            _check_call(text, node)
        if isinstance(node, ast.Compare):
            _check_membership(text, node)
    return tree


def _check_call(text: str, node: ast.Call) -> None:
    if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS or node.keywords:
        raise ValueError(f"{text!r} calls something unknown. Functions are: {', '.join(FUNCTIONS)}.")
    fewest, most = _N_ARGUMENTS.get(node.func.id, (1, 1))
    if not fewest <= len(node.args) <= most:
        wanted = str(most) if fewest == most else f"{fewest} or {most}"
        raise ValueError(
            f"{text!r} gives {node.func.id} {len(node.args)} arguments, but it takes {wanted}. "
            "Write it as in missing(x) or round(x, 1)."
        )


def _check_membership(text: str, node: ast.Compare) -> None:
    for op, right in zip(node.ops, node.comparators, strict=True):
        if isinstance(op, ast.In | ast.NotIn) and not isinstance(right, ast.List | ast.Tuple | ast.Name):
            raise ValueError(f"{text!r} looks for something in what is not a list. Write x in ['a', 'b'].")


def _checked(text: str) -> str:
    _parsed(text)
    return text


Expression = Annotated[str, AfterValidator(_checked)]
"""Text of a rule, checked for form when a record holds it."""


def names_in(text: str) -> frozenset[str]:
    """Return the quantities that a rule uses."""
    tree = _parsed(text)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return frozenset(
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and id(node) not in called and node.id not in {"true", "false"}
    )


def names_taken_as_known(text: str) -> frozenset[str]:
    """Return the quantities a rule uses without asking whether they are missing.

    >>> sorted(names_taken_as_known("answer == truth or missing(answer)"))
    ['truth']
    """
    asked = (
        node for node in ast.walk(_parsed(text)) if isinstance(node, ast.Call) and ast.unparse(node.func) == "missing"
    )
    return names_in(text) - {name for node in asked for name in names_in(ast.unparse(node))}


def functions_in(text: str) -> frozenset[str]:
    """Return the functions a rule calls."""
    return frozenset(
        node.func.id
        for node in ast.walk(_parsed(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    )


def rule_from_text(text: str) -> Callable[[Mapping[str, Any]], bool]:
    """Build a predicate over the quantities of one session; a missing quantity satisfies nothing."""
    tree = _parsed(text).body

    def holds(quantities: Mapping[str, Any]) -> bool:
        return bool(evaluate(tree, quantities, _OF_ONE_SESSION))

    return holds


_OF_ONE_SESSION: dict[str, Callable[..., Any]] = {
    "abs": lambda x: None if x is None else abs(x),
    "round": lambda x, digits=0: None if x is None else round(x, digits),
    "missing": lambda x: x is None,
}


def value_of(text: str, names: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]) -> Any:
    """Evaluate a rule over any values that support its operators, such as table columns."""
    return evaluate(_parsed(text).body, names, functions)


def evaluate(node: ast.AST, names: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]) -> Any:
    """Evaluate one node of a checked rule."""

    def inner(child: ast.AST) -> Any:
        return evaluate(child, names, functions)

    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return {"true": True, "false": False}[name] if name in ("true", "false") else names[name]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [inner(part) for part in parts]
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return _negation(inner(part))
        case ast.UnaryOp(operand=part):
            value = inner(part)
            return None if value is None else -value
        case ast.BinOp(left=left, op=op, right=right):
            return _arithmetic(_BINARY[type(op)], inner(left), inner(right))
        case ast.BoolOp(op=op, values=parts):
            # The bitwise operators work on table columns too; for plain values they get booleans.
            join = operator.and_ if isinstance(op, ast.And) else operator.or_
            return reduce(join, (_truth(inner(part)) for part in parts))
        case ast.Compare(left=left, ops=ops, comparators=rights):
            return _comparison(inner(left), ops, [inner(right) for right in rights])
        case ast.Call(func=ast.Name(id=name), args=args):
            return functions[name](*[inner(arg) for arg in args])
    raise AssertionError(f"unchecked node {node!r}")


def _is_column(value: Any) -> bool:
    return hasattr(value, "isin")


def _truth(value: Any) -> Any:
    return value if _is_column(value) else bool(value)


def _negation(value: Any) -> Any:
    if value is None:
        return None
    return ~value if _is_column(value) else not value


def _arithmetic(op: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Compute; the result is missing for a missing part, a division by zero, or a number out of range."""
    if left is None or right is None:
        return None
    try:
        value = op(left, right)
    except (ZeroDivisionError, OverflowError):
        return None
    if _is_column(value):
        return value.mask(value.isin([inf, -inf])) if op in _CAN_FAIL else value
    return None if isinstance(value, complex) else value


def _comparison(left: Any, ops: list[ast.cmpop], rights: list[Any]) -> Any:
    result: Any = True
    for op, right in zip(ops, rights, strict=True):
        part = _one_comparison(op, left, right)
        result = part if result is True else result & part
        left = right
    return result


def _one_comparison(op: ast.cmpop, left: Any, right: Any) -> Any:
    if left is None or right is None:
        return False
    if not isinstance(op, ast.In | ast.NotIn):
        return _COMPARE[type(op)](left, right)
    if _is_column(left):
        is_member = left.isin(right)
        return is_member if isinstance(op, ast.In) else ~is_member & left.notna()
    return (left in right) == isinstance(op, ast.In)
