"""Rules say what is to be repaired, dialects how it is written: neither knows the other's words."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import turnlint
import turnlint_rules
from turnlint import dialects
from turnlint.engine import rules

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINE = Path(turnlint.__file__).parent
PACK = Path(turnlint_rules.__file__).parent
NAMES = {entry.name for entry in rules()} | {entry.code for entry in rules()}


def shape_keys() -> set[str]:
    """The keys of all shapes that cannot be taken for everyday words: those of two words."""
    found: set[str] = set()
    for dialect in dialects.all():
        for name in dialect.shape.__struct_fields__ if dialect.shape is not None else ():
            value = getattr(dialect.shape, name)
            if name.endswith(("_key", "_keys")):
                found.update(value if isinstance(value, tuple) else [value] if value else [])
    return {key for key in found if "_" in key or key != key.lower()}


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts in some code, without its docstrings."""
    said = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.lineno, node.value


def working_half(tree: ast.Module) -> Iterator[ast.AST]:
    """What a rule's `check` uses, and what that uses: not its examples."""
    defined: dict[str, ast.AST] = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            defined[node.name] = node
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    defined[target.id] = node
    pending, seen = ["check"], set()
    while pending:
        name = pending.pop()
        if name in defined and name not in seen:
            seen.add(name)
            yield defined[name]
            pending.extend(n.id for n in ast.walk(defined[name]) if isinstance(n, ast.Name))


MODULES = [PACK.joinpath(*entry.module.split(".")[1:]).with_suffix(".py") for entry in rules() if not entry.engine]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.stem)
def test_no_rule_names_a_key_of_a_dialect(path: Path) -> None:
    keys = shape_keys()
    tree = ast.parse(path.read_text("utf-8"))
    assert [(line, text) for part in working_half(tree) for line, text in texts(part) if text in keys] == []


@pytest.mark.parametrize("path", sorted((ENGINE / "dialects").glob("*.py")), ids=lambda p: p.stem)
def test_no_dialect_names_a_rule(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert [(line, text) for line, text in texts(tree) if text in NAMES] == []
    imported = [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    assert not [name for name in imported if name.startswith(("turnlint_rules", "turnlint.rule"))]


@pytest.mark.parametrize("name", ["repair", "repairing", "fixing"])
def test_repairs_know_neither(name: str) -> None:
    """What carries verbs out knows no rule and no shape; only the mending of lines is told as its rule."""
    tree = ast.parse((ENGINE / f"{name}.py").read_text("utf-8"))
    named = [text for _, text in texts(tree) if text in NAMES or text in shape_keys()]
    assert named == (["torn-line"] if name == "fixing" else [])


def test_verbs_are_a_closed_set() -> None:
    """Every verb that a rule can ask for is carried out."""
    from turnlint import repair

    verbs = {
        name for name, value in vars(repair).items() if isinstance(value, type) and value.__module__ == repair.__name__
    }
    tree = ast.parse((ENGINE / "repairing.py").read_text("utf-8"))
    done = {n.cls.id for n in ast.walk(tree) if isinstance(n, ast.MatchClass) and isinstance(n.cls, ast.Name)}
    assert verbs == done
