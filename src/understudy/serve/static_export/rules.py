"""Rules: a rule of the study as a tree that a page can evaluate."""

import ast

from pydantic import JsonValue

from understudy.errors import StudyError

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.And: "and", ast.Or: "or", ast.Eq: "==",
    ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_FUNCTIONS = ("abs", "missing")


def tree_of_rule(text: str) -> list[JsonValue]:
    """Return the rule as nested lists, operator first; refuse a rule that only Python can evaluate."""
    return _tree(ast.parse(text.strip(), mode="eval").body, text)


def _tree(node: ast.AST, text: str) -> list[JsonValue]:
    def inner(child: ast.AST) -> list[JsonValue]:
        return _tree(child, text)

    match node:
        case ast.Constant(value=bool() | int() | float() | str() as value):
            return ["value", value]
        case ast.Name(id=name):
            return ["value", name == "true"] if name in ("true", "false") else ["name", name]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return ["list", *map(inner, parts)]
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return ["not", inner(part)]
        case ast.UnaryOp(operand=part):
            return ["negative", inner(part)]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return [_OPERATORS[type(op)], inner(left), inner(right)]
        case ast.BoolOp(op=op, values=parts):
            return [_OPERATORS[type(op)], *map(inner, parts)]
        case ast.Compare(left=left, ops=ops, comparators=rights):
            pairs: list[JsonValue] = [
                [_OPERATORS[type(op)], inner(right)] for op, right in zip(ops, rights, strict=True)
            ]
            return ["compare", inner(left), *pairs]
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in _FUNCTIONS:
            return [name, inner(argument)]
    raise StudyError([f"The rule {text!r} uses what only a server can compute. Write it with + - * /, abs or missing."])
