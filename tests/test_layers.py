"""What may import what: the contract of pyproject.toml holds, and notices what breaks it."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import grimp
import pytest
from importlinter import api
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract

ROOT = Path(__file__).resolve().parents[1]
CLASSES = {one.type_name: one for one in (AcyclicSiblingsContract, ForbiddenContract, LayersContract)}


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """The imports of both packages."""
    return grimp.build_graph("transitivity", "reproduction", cache_dir=None)


def broken(graph: grimp.ImportGraph) -> list[str]:
    """The ids of the contracts that a graph of imports breaks."""
    read = api.read_configuration(str(ROOT / "pyproject.toml"))
    contracts = {
        options["id"]: CLASSES[options["type"]](options["name"], read["session_options"], options)
        for options in read["contracts_options"]
    }
    # A check removes the imports that its contract ignores.
    return [name for name, one in contracts.items() if not one.check(copy.deepcopy(graph), verbose=False).kept]


def test_the_contracts_hold(graph):
    assert broken(graph) == []


@pytest.mark.parametrize(
    ("importer", "imported", "contracts"),
    [
        ("transitivity.payoff.core", "transitivity.models.elo", {"layers", "cycles"}),
        ("transitivity.models.elo", "transitivity.evaluation.hold_outs", {"layers"}),
        ("transitivity.disc.component", "transitivity.games.blotto", {"layers"}),
        ("transitivity.sources.pgn", "transitivity.fitting.losses", {"sources"}),
        ("transitivity.measures.measure", "reproduction.paper.numbers", {"library"}),
        ("reproduction.paper.numbers", "reproduction.paper.compare", {"cycles"}),
    ],
)
def test_a_wrong_import_breaks_its_contract(graph, importer, imported, contracts):
    wrong = copy.deepcopy(graph)
    assert {importer, imported} <= wrong.modules
    wrong.add_import(importer=importer, imported=imported)
    assert contracts <= set(broken(wrong))


def test_a_new_part_of_the_library_needs_a_layer(graph):
    wrong = copy.deepcopy(graph)
    wrong.add_module("transitivity.new_part")
    assert broken(wrong) == ["layers"]


def test_a_package_offers_only_names_of_its_own():
    # The graph does not hold the lists of lazy names. Only the top of the library offers names of all layers.
    for stub in (ROOT / "src" / "transitivity").glob("*/**/__init__.pyi"):
        imports = re.findall(r"^\s*(?:from|import) (\S+)", stub.read_text(encoding="utf-8"), re.MULTILINE)
        assert [name for name in imports if not re.match(r"\.(?!\.)", name)] == [], stub
