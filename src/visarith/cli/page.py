"""`visarith page`: write the page as files that need no server."""

import argparse
from pathlib import Path

from visarith.cli.terminal import answer

HELP = "write the page as files that need no server"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The folder."""
    parser.add_argument("--out", type=Path, default=Path("site"), metavar="FOLDER", help="its folder (default site)")
    parser.add_argument("--url", default="", help="where the page will be, so that links to it have a picture")


def run(options: argparse.Namespace) -> int:
    """Write the page into a folder that works from any web host, or opened from a disk."""
    from visarith.web.site import checked_url, write_site

    files = write_site(options.out, checked_url(options.url))
    size, first = sum(file.stat().st_size for file in files), options.out / "index.html"
    about = f"{len(files)} files, {size / 1e6:.1f} MB; open it, or put the folder on any web host"
    return answer(options, {"page": str(first), "files": len(files), "bytes": size}, f"{first}  ({about})")
