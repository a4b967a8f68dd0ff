"""Which files a script needs: those that its imports reach, read with `ast`, so that nothing is executed.

An import counts wherever it stands, within functions too. A name that a package exports is followed to the module that
defines it, through the imports of the package's `__init__.pyi` (lazy exports) or else of its `__init__.py`. Models and
games are looked up by the name of their file when a program runs, so that the caller names the files that are used.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SRC = Path(__file__).parents[2]
#: Packages whose members are imported by name when a program runs, whatever their own file lists.
REGISTRIES = ("transitivity.models", "transitivity.games")


def reached(*files: str | os.PathLike[str], src: str | os.PathLike[str] = SRC) -> list[Path]:
    """Return the given Python files and every file under `src` that they need.

    Parameters
    ----------
    *files : path-like
        Scripts, or modules that are loaded by their path, such as a model of one's own.
    src : path-like
        The folder of the packages.

    Returns
    -------
    list of pathlib.Path
        Sorted. The C sources of compiled functions, and the stubs of lazy packages, are among them.
    """
    packages = Path(src).resolve()
    found: set[Path] = set()
    left = [Path(file).resolve() for file in files]
    while left:
        if (path := left.pop()) not in found:
            found.add(path)
            left += _needs(path, packages)
    return sorted(found)


@cache
def _needs(file: Path, src: Path) -> frozenset[Path]:
    """Return the files that the import statements of one file load."""
    if file.suffix != ".py":
        return frozenset()
    inside = file.is_relative_to(src)
    names = [*file.relative_to(src).with_suffix("").parts] if inside else [file.stem]
    package = ".".join(names[:-1])
    tree = ast.parse(file.read_bytes(), filename=str(file))
    found: set[Path] = set()
    # What stands for a package in this file, whose attributes may be exports.
    bound: dict[str, str] = {}
    for module, name, alias in _imports(tree, package):
        found |= _module_files(module, src)
        if name is None:
            bound[alias or module] = module
            bound.update({part: part for part in _prefixes(module) if alias is None})
        else:
            found |= _exported(module, name, src)
            bound[alias or name] = f"{module}.{name}"
    loads_compiled = "ctypes" in bound
    bound = {name: module for name, module in bound.items() if _is_package(module, src)}
    for node in ast.walk(tree) if bound else ():
        if isinstance(node, ast.Attribute) and (owner := bound.get(_dotted(node.value))):
            found |= _exported(owner, node.attr, src)
    if file.name == "__init__.py" and package in REGISTRIES:
        found = {path for path in found if path.parent != file.parent or path.stem.startswith("_")}
    if inside and loads_compiled:
        found |= set(file.parent.glob("*.c"))
    if (stub := file.with_suffix(".pyi")).is_file():
        found.add(stub)
    return frozenset(found)


def _imports(tree: ast.AST, package: str) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield the module, the name that is taken from it (None: itself) and its alias, of every import that runs."""
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.Import):
            yield from ((one.name, None, one.asname) for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                parents = package.split(".")
                module = ".".join([*parents[: len(parents) - node.level + 1], *filter(None, [module])])
            yield from ((module, one.name, one.asname) for one in node.names)
        skipped = isinstance(node, ast.If) and _dotted(node.test).endswith("TYPE_CHECKING")
        for field in ("orelse",) if skipped else ("body", "orelse", "handlers", "finalbody", "cases"):
            left += getattr(node, field, ()) if not isinstance(node, ast.expr) else ()


def _dotted(node: ast.expr) -> str:
    """Return a name as it is written, a or a.b.c; "" for any other expression."""
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _prefixes(module: str) -> list[str]:
    """Return the packages around a module, and itself: a, a.b, a.b.c."""
    parts = module.split(".")
    return [".".join(parts[: at + 1]) for at in range(len(parts))]


@cache
def _file(module: str, src: Path) -> Path | None:
    """Return the file of a module of `src`, None for any other module."""
    path = src.joinpath(*module.split("."))
    candidates = (path / "__init__.py", path.parent / f"{path.name}.py")
    return next((candidate for candidate in candidates if candidate.is_file()), None) if module else None


def _is_package(module: str, src: Path) -> bool:
    return (file := _file(module, src)) is not None and file.name == "__init__.py"


def _module_files(module: str, src: Path) -> set[Path]:
    """Return the files that importing a module loads first: its packages' and its own."""
    return {file for prefix in _prefixes(module) if (file := _file(prefix, src)) is not None}


@cache
def _exported(module: str, name: str, src: Path) -> frozenset[Path]:
    """Return the files behind a name of a module: a submodule, or what a package takes from another module."""
    if not _is_package(module, src):
        return frozenset()
    file = src.joinpath(*module.split("."), "__init__.py")
    stub = file.with_suffix(".pyi")
    listed = stub if stub.is_file() else file
    imports = list(_imports(ast.parse(listed.read_bytes(), filename=str(listed)), module))
    for origin, taken, alias in imports:
        if taken is not None and (alias or taken) == name and (origin, taken) != (module, name):
            return frozenset(_module_files(origin, src) | _exported(origin, taken, src))
    return frozenset(_module_files(f"{module}.{name}", src))
