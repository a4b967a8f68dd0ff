"""Sum the counts of a league's files, and note where the games come from.

--output has one row an unordered pair: player_a, player_b, wins_a, draws, wins_b. Beside it, with the suffix .json:
games, dropped, noted and located of all files, and files, league, label, licence, origin (file or simulated), source.
"""

from __future__ import annotations

import json
from pathlib import Path

from reproduction import cli
from transitivity.matchups.table import load_matchups, merge_matchups, save_matchups


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--league", required=True, help="id of the league")
    parser.add_argument(
        "--about", type=json.loads, required=True, help='JSON: {"label": "Chess", "licence": "", "simulated": null}'
    )
    parser.add_argument("--counts", nargs="+", required=True, type=Path, help="counts of its files (.csv)")
    parser.add_argument("--output", required=True, type=Path, help="all counts (.csv)")
    arguments = parser.parse_args()
    frames = [load_matchups(path) for path in arguments.counts]
    simulated = arguments.about["simulated"]
    files = [file for frame in frames for file in frame.attrs["files"]]
    about = {
        "files": files,
        "league": arguments.league,
        "label": arguments.about["label"],
        "licence": arguments.about["licence"] or files[0].get("licence", ""),
        "origin": "simulated" if simulated else "file",
        "source": "a league simulated here"
        if simulated
        else ", ".join(file.get("url", file["path"]) for file in files),
    }
    merged = merge_matchups(frames, ignore_case=any(frame.attrs["ignore_case"] for frame in frames))
    save_matchups(merged, arguments.output, **about)


if __name__ == "__main__":
    cli.run(main)
