"""Compare your PGN files with the published checksums of the Lichess Elite Database.

--output is a table, one row a file: file, status (as published; as published, LF; differs; not in the table),
published_file, bytes, sha256.
"""

from __future__ import annotations

import logging
from pathlib import Path

from reproduction import cli
from reproduction.downloads.checksums import DIFFERS, verify_lichess_files
from transitivity.files import write_table


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--path", required=True, nargs="+", help=".pgn files and archives of them (.7z, .zip)")
    parser.add_argument("--members", nargs="*", help="patterns of the members of an archive to read")
    parser.add_argument("--table", required=True, type=Path, help="workflow/paper/lichess_elite_files.csv")
    parser.add_argument("--output", required=True, type=Path, help="what was found (.csv)")
    arguments = parser.parse_args()
    found = verify_lichess_files(arguments.path, arguments.table, arguments.members or None)
    write_table(found, arguments.output)
    for name in found.loc[found["status"] == DIFFERS, "file"]:
        logging.warning("%s differs from the published file of that name", name)
    for status, count in found["status"].value_counts().items():
        logging.info("%s: %d", status, count)


if __name__ == "__main__":
    cli.run(main)
