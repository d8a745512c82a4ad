"""Sets of fonts: twenty to learn from, ten to read unseen. Debian's are fetched at first use and kept in a cache."""

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from visarith.errors import VisarithError


@dataclass(frozen=True)
class Font:
    """A font file, and the Debian package that has it; "" is matplotlib's wheel."""

    name: str
    file: str
    package: str = ""


NINE = (  # of matplotlib; the first one is that of the answers
    Font("DejaVu Sans", "DejaVuSans.ttf"),
    Font("DejaVu Sans Bold", "DejaVuSans-Bold.ttf"),
    Font("DejaVu Sans Mono", "DejaVuSansMono.ttf"),
    Font("DejaVu Serif", "DejaVuSerif.ttf"),
    Font("STIX", "STIXGeneral.ttf"),
    Font("STIX Bold", "STIXGeneralBol.ttf"),
    Font("Computer Modern Roman", "cmr10.ttf"),
    Font("Computer Modern Sans", "cmss10.ttf"),
    Font("Computer Modern Typewriter", "cmtt10.ttf"),
)
SETS = {
    "nine": NINE,
    "twenty": (
        *NINE,
        Font("Liberation Sans", "LiberationSans-Regular.ttf", "fonts-liberation"),
        Font("Liberation Serif", "LiberationSerif-Regular.ttf", "fonts-liberation"),
        Font("Liberation Mono", "LiberationMono-Regular.ttf", "fonts-liberation"),
        Font("Lato", "Lato-Regular.ttf", "fonts-lato"),
        Font("Inter", "Inter-Regular.otf", "fonts-inter"),
        Font("Karla", "Karla-Regular.otf", "fonts-karla"),
        Font("PT Sans", "PTS55F.ttf", "fonts-paratype"),
        Font("Gentium", "Gentium-R.ttf", "fonts-sil-gentium"),
        Font("Charis SIL", "CharisSIL-Regular.ttf", "fonts-sil-charis"),
        Font("Inconsolata", "Inconsolata.otf", "fonts-inconsolata"),
        Font("Cabin", "Cabin-Regular.otf", "fonts-cabin"),
    ),
    "unseen": (  # families of which none is in the other sets; named before any was tried
        Font("Open Sans", "OpenSans-Regular.ttf", "fonts-open-sans"),
        Font("Cantarell", "Cantarell-Regular.otf", "fonts-cantarell"),
        Font("Caladea", "Caladea-Regular.ttf", "fonts-crosextra-caladea"),
        Font("Courier Prime", "Courier Prime.otf", "fonts-courier-prime"),
        Font("Roboto Slab", "RobotoSlab-Regular.otf", "fonts-roboto-slab"),
    ),
    "fresh": (  # named after "unseen" was read and what may be read was chosen, and before any of these was tried
        Font("Roboto", "Roboto-Regular.ttf", "fonts-roboto-unhinted"),
        Font("Fira Code", "FiraCode-Regular.ttf", "fonts-firacode"),
        Font("Linux Libertine", "LinLibertine_R.otf", "fonts-linuxlibertine"),
        Font("Noto Sans", "NotoSans-Regular.ttf", "fonts-noto-core"),
        Font("Quicksand", "Quicksand-Regular.ttf", "fonts-quicksand"),
    ),
}


def font_set(name: str) -> tuple[Font, ...]:
    """Return a set by its name."""
    if name not in SETS:
        raise VisarithError(f"there are no fonts {name!r}; use {' or '.join(SETS)}")
    return SETS[name]


def font_file(font: Font) -> Path:
    """Return the file of a font; one of Debian's is downloaded if it is not in the cache."""
    from visarith.pictures.typeface import shipped_font  # slow to import

    if not font.package:
        return shipped_font(font.file)
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    kept = Path(home) / "visarith" / "fonts" / font.file
    if not kept.exists():
        _fetch(font, kept)
    return kept


def _fetch(font: Font, kept: Path) -> None:
    """Download the package without installing it, and keep the one file."""
    with tempfile.TemporaryDirectory() as folder:
        for command in (["apt-get", "download", font.package], ["dpkg-deb", "-x", "*.deb", "files"]):
            named = [str(path) for word in command for path in (Path(folder).glob(word) if "*" in word else [word])]
            try:
                subprocess.run(named, cwd=folder, check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                raise VisarithError(
                    f"{font.name} cannot be fetched ({' '.join(command[:2])} failed); "
                    f"on Debian run apt-get update, elsewhere put {font.file} into {kept.parent}"
                ) from None
        found = next(Path(folder, "files").rglob(font.file), None)
        if found is None:
            raise VisarithError(f"{font.package} has no {font.file}; put that file into {kept.parent}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(found, kept.with_suffix(".part"))
        kept.with_suffix(".part").rename(kept)
