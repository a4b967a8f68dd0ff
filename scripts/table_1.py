"""Table 1: half the mean squared error of every model on the five games, the paper's value beside ours.

--csv has one row a model: model, label, n_params, and for each game and split ours ({dataset}_{split}) and
the paper's ({dataset}_{split}_paper), empty where there is none. --tex (booktabs) and --markdown show two
digits, the paper's value in parentheses.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import pandas as pd

from reproduction import cli
from reproduction.paper.numbers import Paper, read_paper
from reproduction.paper.table_1 import table_1
from transitivity.errors import InputError
from transitivity.files import atomic_path, write_table

LATEX = {c: "\\" + c for c in "&%$#_{}"} | {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
}


def pair(ours: float, theirs: float, number, missing: str) -> str:
    """Return a cell: ours, and the paper's in parentheses where it has one."""
    cell = missing if math.isnan(ours) else number(ours)
    return cell if math.isnan(theirs) else f"{cell} ({number(theirs)})"


def plain(value: float) -> str:
    return f"{value:.1e}"


def latex(value: float) -> str:
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"${mantissa}\\times10^{{{int(exponent)}}}$"


def escape_latex(text: str) -> str:
    return "".join(LATEX.get(c, c) for c in text)


def escape_markdown(text: str) -> str:
    return re.sub(r"([\\|*_`<>\[\]])", r"\\\1", text)


def cells(table: pd.DataFrame, paper: Paper, number, missing: str, escape) -> pd.DataFrame:
    """Return the table as text, with two-level columns (game, split)."""
    columns = {("", "Model"): table.label.map(escape), ("", "# param."): table.n_params.map(escape)}
    for dataset in paper.table_1_games:
        for split in ("train", "test"):
            values = zip(table[f"{dataset}_{split}"], table[f"{dataset}_{split}_paper"], strict=True)
            shown = [pair(ours, theirs, number, missing) for ours, theirs in values]
            columns[escape(paper.label(dataset)), split] = shown
    return pd.DataFrame(columns)


def main(argv: list[str] | None = None) -> None:
    parser = cli.parser(__doc__, "paper")
    parser.add_argument("--scores", type=Path, required=True, help="results/tables/scores.csv")
    parser.add_argument("--csv", type=Path, required=True, help="results/tables/table_1.csv")
    parser.add_argument("--tex", type=Path, required=True, help="results/tables/table_1.tex")
    parser.add_argument("--markdown", type=Path, required=True, help="results/tables/table_1.md")
    arguments = parser.parse_args(argv)
    if not arguments.scores.is_file():
        raise InputError(f"{arguments.scores} does not exist; run the rule that makes it first.")
    paper = read_paper(arguments.paper)
    table = table_1(paper, pd.read_csv(arguments.scores))
    write_table(table, arguments.csv)

    text = cells(table, paper, latex, "--", escape_latex)
    text[("", "# param.")] = [f"${n}$" if n.endswith("n") else n for n in text[("", "# param.")]]
    styled = text.style.hide(axis="index").to_latex(
        hrules=True, column_format="ll" + "ll" * len(paper.table_1_games), multicol_align="c"
    )
    caption = "% Half the mean squared error (the paper's value in parentheses). Needs booktabs.\n"
    with atomic_path(arguments.tex) as temporary:
        # Labels may hold a character that the header row would need escaped; pandas does not escape it.
        temporary.write_text(caption + styled.replace("# param.", "\\# param."), encoding="utf-8")

    text = cells(table, paper, plain, "–", escape_markdown)
    text.columns = [f"{game}, {split}" if game else split for game, split in text.columns]
    with atomic_path(arguments.markdown) as temporary:
        temporary.write_text(
            "Half the mean squared error, the paper's value in parentheses.\n\n"
            + text.to_markdown(index=False, disable_numparse=True)
            + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    cli.run(main)
