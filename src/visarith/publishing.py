"""The verb that writes the page as files."""

import argparse
import json

from visarith.web.site import write_site


def page(options: argparse.Namespace) -> int:
    """Write the page into a folder that works from any web host, or opened from a disk."""
    files = write_site(options.out)
    size, first = sum(file.stat().st_size for file in files), options.out / "index.html"
    if options.json:
        print(json.dumps({"page": str(first), "files": len(files), "bytes": size}))
    else:
        print(f"{first}  ({len(files)} files, {size / 1e6:.1f} MB; open it, or put the folder on any web host)")
    return 0
