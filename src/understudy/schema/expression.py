"""The small safe language of rules: comparisons and arithmetic over named quantities, nothing else.

`n_solved < 1`, `kind == 'trial' and rt_ms > 200`, `group in ['a', 'b']`. What is known gives what Python gives,
in floating point: conditions count as 1 and 0, so `(a == 1) + (b == 1)` counts. What is missing stays missing: a
comparison with a missing quantity is neither true nor false, so it does not hold, and neither does its reverse;
`missing(x)` asks for it. The same functions compute the numbers of one session and, row by row, whole columns.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from math import isfinite
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator

Value: TypeAlias = Any
"""What a rule computes with: a truth value, a float, a text, an answer of several parts, or None for missing."""
Apply: TypeAlias = Callable[..., Value]
"""Calls its first argument with the others, once or for each row of a column."""

_LONGEST_RULE = 10_000
_DEEPEST = 100
_LONGEST_SHOWN = 200
"""Characters of a rule that an error repeats."""
_LONGEST_TEXT = 100_000
"""Characters that joined texts may have."""

_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.FloorDiv: operator.floordiv,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
ROW_FUNCTIONS = frozenset({"abs", "missing", "round"})
"""Functions that a rule over single values may call."""
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


@lru_cache(maxsize=1024)
def _parsed(text: str) -> ast.Expression:
    if len(text) > _LONGEST_RULE:
        raise ValueError(
            f"'{text[:40]}…' has {len(text):,} characters, but a rule may have {_LONGEST_RULE:,}. Write a shorter one."
        )
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(
            f'{_cut(text)!r} is not a rule. Write a comparison such as "n_correct < 3 and minutes > 2".'
        ) from None
    text = _cut(text)
    _check_depth(text, tree)
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise ValueError(
                f"{text!r} uses {type(node).__name__}, which a rule may not. "
                "Use names, numbers, text in quotes, comparisons, and/or/not, arithmetic and "
                f"the functions {', '.join(FUNCTIONS)}."
            )
        if isinstance(node, ast.Constant):
            _check_constant(text, node.value)
        if isinstance(node, ast.Call):
            _check_call(text, node)
        if isinstance(node, ast.Compare):
            _check_membership(text, node)
    _check_lists(text, tree)
    for node in reversed(list(ast.walk(tree))):
        _check_value(text, node)
    return tree


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _check_depth(text: str, tree: ast.AST) -> None:
    depth, level = 0, [tree]
    while level:
        depth, level = depth + 1, [child for node in level for child in ast.iter_child_nodes(node)]
    if depth > _DEEPEST:
        raise ValueError(
            f"'{text[:40]}…' nests {depth} steps, but a rule may nest {_DEEPEST}. Compute parts of it as measures or "
            "derived columns of their own."
        )


def _check_constant(text: str, value: object) -> None:
    if not isinstance(value, str | int | float):
        raise ValueError(
            f"{text!r} compares with {value!r}. Use numbers, text in quotes, true and false; "
            "missing(x) asks whether x is missing."
        )
    if isinstance(value, str | bool):
        return
    number = rule_value(value)
    if number is None:
        raise ValueError(f"'{text[:80]}' has a number above 1.8e308, the largest that a rule computes with.")
    if number != value:
        raise ValueError(
            f"{text!r} has the whole number {value}, which a rule cannot tell from its neighbours: it computes in floating "
            "point, exact to 9007199254740992. Compare ids as text in quotes."
        )


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


def _check_lists(text: str, tree: ast.AST) -> None:
    """Refuse lists elsewhere than in comparisons: repeating one would fill the memory."""
    compared = {
        id(part) for node in ast.walk(tree) if isinstance(node, ast.Compare) for part in (node.left, *node.comparators)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.List | ast.Tuple) and id(node) not in compared:
            raise ValueError(f"{text!r} computes with a list. Lists may only be compared, as in x in ['a', 'b'].")


def _check_value(text: str, node: ast.AST) -> None:
    """Refuse a part that has no value, whatever is asked: 9**9**7, a division by zero, or a text times a number."""
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add):
        for side in (node.left, node.right):
            if not _has_names(side) and isinstance(evaluate(side, {}, {}, _once), str):
                raise ValueError(
                    f"{text!r} computes {_cut(ast.unparse(node))}, but texts can only be joined with + and compared. Write numbers "
                    "without quotes."
                )
    if not isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare):
        return
    is_by_zero = (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod)
        and not _has_names(node.right)
        and evaluate(node.right, {}, {}, _once) == 0
    )
    if is_by_zero or (not _has_names(node) and evaluate(node, {}, {}, _once) is None):
        raise ValueError(
            f"{text!r} computes {_cut(ast.unparse(node))}, which has no value: a rule computes with real numbers up to 1.8e308, "
            "does not divide by zero, and does not mix numbers with texts."
        )


def _has_names(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Name) and part.id not in ("true", "false") for part in ast.walk(node))


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


def functions_in(text: str) -> frozenset[str]:
    """Return the functions a rule calls."""
    return frozenset(
        node.func.id
        for node in ast.walk(_parsed(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    )


def is_condition(text: str) -> bool:
    """Return whether a rule says by its form that something holds, whatever its quantities are."""
    match _parsed(text).body:
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()) | ast.Name(id="true" | "false"):
            return True
        case ast.Constant(value=value):
            return isinstance(value, bool)
        case ast.Call(func=ast.Name(id=name)):
            return name in ("missing", "any", "all")
    return False


def rule_from_text(text: str) -> Callable[[Mapping[str, Any]], bool]:
    """Build a predicate over the quantities of one session; what is missing or cannot be computed does not hold."""
    tree, names = _parsed(text).body, names_in(text)

    def holds(quantities: Mapping[str, Any]) -> bool:
        return bool(evaluate(tree, {name: rule_value(quantities[name]) for name in names}, {}, _once))

    return holds


def _once(function: Callable[..., Value], *values: Value) -> Value:
    try:
        return function(*values)
    except TypeError:
        # One odd answer must not end a session: text where a number is wanted is as good as no answer.
        return None


def value_of(text: str, names: Mapping[str, Any], summaries: Mapping[str, Callable[..., Any]], apply: Apply) -> Any:
    """Evaluate a rule; `apply` carries its functions out over what the names hold, such as the rows of columns."""
    return evaluate(_parsed(text).body, names, summaries, apply)


def rule_value(value: Value) -> Value:
    """Return a value as rules see it: numbers are floating point, and those that it cannot hold are missing."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if isfinite(number) else None
    return list(value) if isinstance(value, tuple) else value


def evaluate(
    node: ast.AST, names: Mapping[str, Any], summaries: Mapping[str, Callable[..., Any]], apply: Apply
) -> Value:
    """Evaluate one node of a checked rule."""
    match node:
        case ast.Constant(value=value):
            return rule_value(value)
        case ast.Name(id=name):
            return name == "true" if name in ("true", "false") else names[name]
        case ast.Call(func=ast.Name(id=name), args=parts):
            function: Callable[..., Value] | None = _ROW_BY_ROW.get(name)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            function = _listed
        case ast.UnaryOp(op=op, operand=part):
            function, parts = (_negation if isinstance(op, ast.Not) else _negative), [part]
        case ast.BinOp(left=left, op=op, right=right):
            function, parts = _ARITHMETIC[type(op)], [left, right]
        case ast.BoolOp(op=op, values=parts):
            function = _conjunction if isinstance(op, ast.And) else _disjunction
        case ast.Compare(left=left, ops=ops, comparators=rights):
            function, parts = _comparison(ops), [left, *rights]
        case _:
            raise AssertionError(f"unchecked node {node!r}")
    values = [evaluate(part, names, summaries, apply) for part in parts]
    return summaries[name](*values) if function is None else apply(function, *values)


def _listed(*parts: Value) -> list[Value]:
    return list(parts)


def _negation(value: Value) -> bool | None:
    return None if value is None else not value


def _negative(value: Value) -> float | None:
    return None if value is None else -float(_number(value))


def _absolute(value: Value) -> float | None:
    return None if value is None else abs(float(_number(value)))


def _rounded(value: Value, digits: Value = 0.0) -> float | None:
    if value is None or digits is None:
        return None
    if not float(_number(digits)).is_integer():
        raise TypeError(f"{digits} is not a number of digits")
    try:
        return round(float(_number(value)), int(digits))
    except OverflowError:
        return None


def _number(value: Value) -> bool | float:
    if not isinstance(value, bool | float):
        raise TypeError(f"{value!r} is not a number")
    return value


def _arithmetic(op: Callable[[Any, Any], Any]) -> Callable[[Value, Value], Value]:
    """Return an operator for which a missing part, a division by zero and a number out of range give missing."""

    def computed(left: Value, right: Value) -> Value:
        if left is None or right is None:
            return None
        # Texts can be joined, and nothing else: repeating or formatting one could fill the memory.
        if op is operator.add and isinstance(left, str) and isinstance(right, str):
            return left + right if len(left) + len(right) <= _LONGEST_TEXT else None
        # As floats, because whole numbers of Python have no bound: 9**9**7 would be computed for hours.
        left = left if type(left) is float else float(_number(left))
        right = right if type(right) is float else float(_number(right))
        try:
            value = op(left, right)
        except (ZeroDivisionError, OverflowError):
            return None
        return value if type(value) is float and isfinite(value) else None

    return computed


_ARITHMETIC = {sign: _arithmetic(op) for sign, op in _BINARY.items()}
_ROW_BY_ROW: dict[str, Callable[..., Value]] = {
    "abs": _absolute,
    "round": _rounded,
    "missing": lambda value: value is None,
}


def _conjunction(*parts: Value) -> Value:
    """Return what Python's `and` gives; with a missing part, false if another part is false, and missing otherwise."""
    decisive = [part for part in parts if part is not None and not part]
    if decisive:
        return decisive[0]
    return None if None in parts else parts[-1]


def _disjunction(*parts: Value) -> Value:
    """Return what Python's `or` gives; with a missing part, what holds if another part holds, and missing otherwise."""
    decisive = [part for part in parts if part]
    if decisive:
        return decisive[0]
    return None if None in parts else parts[-1]


def _comparison(ops: list[ast.cmpop]) -> Callable[..., bool | None]:
    """Return a chain of comparisons: all must hold, and the first that does not ends it, as in Python."""
    comparisons = [_COMPARISONS[type(op)] for op in ops]
    if len(comparisons) == 1:
        return comparisons[0]

    def compared(left: Value, *rights: Value) -> bool | None:
        result: bool | None = True
        for comparison, right in zip(comparisons, rights, strict=True):
            holds = comparison(left, right)
            if holds is False:
                return False
            result = result if holds else None
            left = right
        return result

    return compared


def _known_compared(sign: type[ast.cmpop], op: Callable[[Any, Any], bool]) -> Callable[[Value, Value], bool | None]:
    """Return a comparison for which a missing side gives missing; only equal kinds have an order."""
    is_ordering = sign not in (ast.Eq, ast.NotEq)

    def compared(left: Value, right: Value) -> bool | None:
        if left is None or right is None:
            return None
        if is_ordering and type(left) is not type(right):
            left, right = _number(left), _number(right)
        return op(left, right)

    return compared


def _membership(part: Value, whole: Value) -> bool | None:
    if part is None or whole is None:
        return None
    if isinstance(whole, list | tuple):
        if part in whole:
            return True
        return None if None in whole else False
    return part in whole


def _non_membership(part: Value, whole: Value) -> bool | None:
    return _negation(_membership(part, whole))


_COMPARISONS: dict[type[ast.cmpop], Callable[[Value, Value], bool | None]] = {
    **{sign: _known_compared(sign, op) for sign, op in _COMPARE.items()},
    ast.In: _membership,
    ast.NotIn: _non_membership,
}
