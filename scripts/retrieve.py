"""Fetch one file from the first of its mirrors that has it, check it, and record where it came from.

--record is a JSON object: url, final_url, sha256, bytes, date, last_modified, etag, checked, licence, credit. A good
file that is already there is kept, and a wrong one never replaces it. What was received of an interrupted download
stays in OUTPUT.part, and the next run continues from there. Passwords come from ~/.netrc (docs/downloads.md).
"""

from __future__ import annotations

from pathlib import Path

from reproduction import cli
from reproduction.downloads.retrieve import MAX_BYTES, retrieve


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument(
        "--urls", nargs="+", required=True, help="mirrors, in the order to try them: http, https or file"
    )
    parser.add_argument("--output", dest="path", required=True, type=Path, help="the file; its suffix says its kind")
    parser.add_argument("--record", type=Path, help="where it came from (.json); OUTPUT.json by default")
    parser.add_argument("--sha256", help="sha256 that it must have")
    parser.add_argument("--bytes", dest="n_bytes", type=int, help="size that it must have")
    parser.add_argument("--sha256-list", help="url of a sha256sums.txt that lists it")
    parser.add_argument("--licence", help="recorded")
    parser.add_argument("--credit", help="recorded")
    parser.add_argument("--timeout", type=float, default=60, help="seconds without a byte (default: 60)")
    parser.add_argument("--attempts", type=int, default=5, help="attempts at each mirror (default: 5)")
    parser.add_argument("--max-bytes", type=int, default=MAX_BYTES, help="refuse a larger file (default: 64 GiB)")
    retrieve(**vars(parser.parse_args()))


if __name__ == "__main__":
    cli.run(main)
