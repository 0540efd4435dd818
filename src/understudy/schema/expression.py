"""The small safe language of rules: comparisons and arithmetic over named quantities, nothing else.

`n_solved < 1`, `kind == 'trial' and rt_ms > 200`, `group in ['a', 'b']`. A missing quantity satisfies no
comparison. The same text is evaluated over the numbers of one session or over whole table columns.
"""

import ast
import operator
from collections.abc import Callable, Mapping
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

_ALLOWED = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Compare,
    ast.In, ast.NotIn, ast.Name, ast.Load, ast.Constant, ast.List, ast.Tuple, ast.Call,
    *_BINARY, *_COMPARE,
)  # fmt: skip


def _parsed(text: str) -> ast.Expression:
    try:
        tree = ast.parse(text, mode="eval")
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
        if isinstance(node, ast.Call) and (
            not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS or node.keywords
        ):
            raise ValueError(f"{text!r} calls something unknown. Functions are: {', '.join(FUNCTIONS)}.")
    return tree


def _checked(text: str) -> str:
    _parsed(text)
    return text


Expression = Annotated[str, AfterValidator(_checked)]
"""Text of a rule, checked for form when a record holds it."""


def names_in(text: str) -> frozenset[str]:
    """Return the quantities a rule speaks of."""
    tree = _parsed(text)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return frozenset(
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and id(node) not in called and node.id not in {"true", "false"}
    )


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
        return bool(evaluate(tree, quantities, {"abs": abs, "round": round, "missing": lambda x: x is None}))

    return holds


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
            value = inner(part)
            return (not value) if isinstance(value, bool) or value is None else ~value
        case ast.UnaryOp(operand=part):
            return -inner(part)
        case ast.BinOp(left=left, op=op, right=right):
            return _or_missing(_BINARY[type(op)], inner(left), inner(right), missing=None)
        case ast.BoolOp(op=op, values=parts):
            values = [inner(part) for part in parts]
            join = operator.and_ if isinstance(op, ast.And) else operator.or_
            result = values[0]
            for value in values[1:]:
                result = join(result, value)
            return result
        case ast.Compare(left=left, ops=ops, comparators=rights):
            return _comparison(inner(left), ops, [inner(right) for right in rights])
        case ast.Call(func=ast.Name(id=name), args=args):
            return functions[name](*[inner(arg) for arg in args])
    raise AssertionError(f"unchecked node {node!r}")


def _or_missing(op: Callable[[Any, Any], Any], left: Any, right: Any, *, missing: Any) -> Any:
    return missing if left is None or right is None else op(left, right)


def _comparison(left: Any, ops: list[ast.cmpop], rights: list[Any]) -> Any:
    result: Any = True
    for op, right in zip(ops, rights, strict=True):
        if isinstance(op, ast.In | ast.NotIn):
            found = left.isin(right) if hasattr(left, "isin") else left in right
            one = found if isinstance(op, ast.In) else (not found if isinstance(found, bool) else ~found)
        else:
            one = _or_missing(_COMPARE[type(op)], left, right, missing=False)
        result = one if result is True else result & one
        left = right
    return result
