"""Make one dataset's payoff: compute the game, read the file or filter the matchups, and note where it comes from.

--payoff is what Payoff.load reads; --metadata a JSON object: dataset, label, origin (exact, fresh draw, simulated or
file), simulated, source, files (path, sha256, bytes and, of downloads, url and date of each), licence, n_players,
n_pairs. A payoff that is counted from the games of a league also has: league, min_games, steps (what each filter left)
and graph (what the graph of its pairs lets a model identify).
"""

from __future__ import annotations

import importlib
import json
import logging
from pathlib import Path

from reproduction import cli
from reproduction.downloads.provenance import describe
from transitivity import games
from transitivity.errors import InputError
from transitivity.files import read_json, write_json
from transitivity.matchups.table import filter_matchups, load_matchups, why_empty
from transitivity.payoff.core import Payoff
from transitivity.payoff.graph import identifiability
from transitivity.seeding import generator

#: From the most to the least faithful to the original.
ORIGINS = ("file", "exact", "fresh draw", "simulated")


def from_file(specification: dict) -> tuple[Payoff, dict]:
    path = Path(specification["path"])
    options = {key: specification[key] for key in ("key", "scale") if key in specification}
    found = {"origin": "file", "label": specification.get("key", path.stem), "source": str(path)}
    return Payoff.from_file(path, **options), found | {"files": [describe(path)]}


def counted(specification: dict, matchups: Path) -> tuple[Payoff, dict]:
    frame = load_matchups(matchups)
    about = frame.attrs
    filters = {key: specification[key] for key in ("min_games", "min_opponents", "component")}
    kept, steps = filter_matchups(frame, **filters)
    if len(kept) == 0:
        thresholds = {key: filters[key] for key in ("min_games", "min_opponents")}
        raise InputError(f"The league {about['league']!r}: {why_empty(frame, **thresholds)}")
    payoff = Payoff.from_counts(kept)
    found = {key: about[key] for key in ("league", "origin", "source", "licence", "files")}
    # The threshold comes first, so that it stays where a label is cut.
    least = filters["min_games"]
    found["label"] = about["label"] + (f", at least {least} games a pair" if least > 1 else "")
    found["label"] += " (simulated)" if about["origin"] == "simulated" else ""
    found |= {"min_games": filters["min_games"], "steps": steps.to_dict("records")}
    graph = identifiability(payoff).to_row()
    entries = int((payoff.p > 0).sum() + (payoff.p < 1).sum())
    found["graph"] = {"players": graph.pop("n_players"), "pairs": graph.pop("n_pairs"), "entries": entries} | graph
    return payoff, found


def played(specification: dict, chunks: list[Path]) -> tuple[Payoff, dict]:
    parameters = specification["parameters"]
    found = {"origin": games.origin("agents", **parameters), "label": games.label("agents", **parameters)}
    # By its name, as every game is, so that only populations of agents depend on it.
    agents = importlib.import_module("transitivity.games.agents")
    return agents.merge(chunks), found | {"source": games.reference("agents")}


def computed(specification: dict, dataset: str, seed: int) -> tuple[Payoff, dict]:
    name, parameters = specification["game"], specification.get("parameters", {})
    payoff = games.compute(name, rng=generator(seed, "payoff", dataset), **parameters)
    found = {"origin": games.origin(name, **parameters), "label": games.label(name, **parameters)}
    return payoff, found | {"source": games.reference(name)}


def mixture(specification: dict, parents: list[Path], metadata: list[Path]) -> tuple[Payoff, dict]:
    if len(parents) != 2 or len(metadata) != 2:
        raise InputError("A mixture needs two --parents and their --parents-metadata; give both.")
    first, second = map(Payoff.load, parents)
    parameters = {"first": first, "second": second, **specification.get("parameters", {})}
    origins = [read_json(path)["origin"] for path in metadata]
    found = {
        "origin": max(origins, key=ORIGINS.index),
        "label": games.label("mixture", **parameters),
        "source": games.reference("mixture"),
    }
    return games.compute("mixture", **parameters), found


def main() -> None:
    parser = cli.parser(__doc__, "dataset", "seed")
    parser.add_argument(
        "--specification", required=True, type=json.loads, help='entry of the configuration, as JSON: {"game": "rps"}'
    )
    parser.add_argument("--parents", nargs="*", type=Path, default=[], help="payoffs (.npz) that a mixture is made of")
    parser.add_argument("--parents-metadata", nargs="*", type=Path, default=[], help="their metadata (.json)")
    parser.add_argument(
        "--matchups", nargs="*", type=Path, default=[], help="matchups of the league that it is counted from (.csv)"
    )
    parser.add_argument(
        "--played", nargs="*", type=Path, default=[], help="what the agents of a population played (.npz)"
    )
    parser.add_argument("--payoff", required=True, type=Path, help="output: the payoff (.npz)")
    parser.add_argument("--metadata", required=True, type=Path, help="output: where it comes from (.json)")
    arguments = parser.parse_args()
    specification = arguments.specification
    if "league" in specification:
        payoff, found = counted(specification, *arguments.matchups)
    elif "path" in specification:
        payoff, found = from_file(specification)
    elif specification["game"] == "agents":
        payoff, found = played(specification, arguments.played)
    elif specification["game"] == "mixture":
        payoff, found = mixture(specification, arguments.parents, arguments.parents_metadata)
    else:
        payoff, found = computed(specification, arguments.dataset, arguments.seed)
    metadata = {"dataset": arguments.dataset, "licence": specification.get("licence", ""), "files": []} | found
    metadata["label"] = specification.get("label", found["label"])
    metadata["simulated"] = found["origin"] == "simulated"
    metadata |= {"n_players": payoff.n_players, "n_pairs": payoff.n_pairs}
    payoff.save(arguments.payoff)
    write_json(metadata, arguments.metadata)
    logging.info("%s: %d players, %d pairs", arguments.dataset, payoff.n_players, payoff.n_pairs)


if __name__ == "__main__":
    cli.run(main)
