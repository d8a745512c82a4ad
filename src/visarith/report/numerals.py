"""Addition of Roman numerals in pictures: claims 10, 12, 26 and 35."""

from visarith.evaluation import percent
from visarith.notation.roman import Roman
from visarith.report.evidence import Evidence, Summary
from visarith.report.exact import roman_attempts
from visarith.report.parts import (
    FAILED,
    FIRST,
    LEARNED,
    Claim,
    Table,
    Topic,
    Verdict,
    decided,
    errors,
    of_cells,
    refined,
    seeds_needed,
)

CELLS = {15: "roman-3-digits", 20: "roman-4-digits", 35: "roman"}
PIXELS = {66: "roman-small-cells", 120: "roman", 231: "roman-large-cells"}  # of a cell, at 35 cells


def pictures(evidence: Evidence) -> Verdict:
    """Claim 10."""
    paper, better = evidence["roman"], evidence["roman-better"]
    measured = f"{of_cells(paper)}; better recipe {of_cells(better)}"
    if paper.mean < LEARNED:
        return Verdict(measured, "refuted", "The printed recipe, as we read it, learns it from pictures.")
    if min(paper.mean, better.mean) < FAILED:
        how = "learns it" if better.mean < LEARNED else "gets most cells right"
        return refined(
            measured, f"The printed recipe fails, as the paper says, but the same network {how} with another."
        )
    return Verdict(measured, "confirmed", "Neither recipe learns it from pictures.")


def _series(evidence: Evidence, names: dict[int, str]) -> dict[int, Summary]:
    found = {size: evidence[name] for size, name in names.items()}
    seeds_needed(*found.values())
    return found


def cells(evidence: Evidence) -> Verdict:
    """Claim 12."""
    by_cells, by_pixels = _series(evidence, CELLS), _series(evidence, PIXELS)
    measured = ", ".join(f"{count} cells: {percent(found.mean)}" for count, found in by_cells.items())
    measured += "; 35 cells of " + ", ".join(f"{n} pixels: {percent(found.mean)}" for n, found in by_pixels.items())
    more_cells = by_cells[35].digits.low > by_cells[15].digits.high
    more_pixels = by_pixels[231].digits.low > by_pixels[66].digits.high
    if more_pixels:
        return Verdict(measured, "confirmed", "At the same 35 cells, larger pictures are harder.")
    if more_cells:
        return refined(measured, "More cells are harder, but more pixels a cell are not: it is length, not dimension.")
    return Verdict(measured, "refuted", "The error grows neither with the number of cells nor with their pixels.")


def symbols(evidence: Evidence) -> Verdict:
    """Claim 26."""
    first, pixels, taught = evidence["roman-symbols"], evidence["roman-better"], evidence["roman-one-hot-better"]
    seeds_needed(first, pixels)
    measured = f"symbols first {of_cells(first)}; pixels, better recipe {of_cells(pixels)}, for as many epochs; with "
    measured += f"true symbols {percent(taught.mean)}; pixels, printed recipe {percent(evidence['roman'].mean)}"
    if first.digits.high < pixels.digits.low:
        return Verdict(
            measured, "confirmed", "With clusters of cells for symbols it is learned better than from pixels."
        )
    if first.digits.low > pixels.digits.high:
        why = "Against pixels with a recipe as good and as long, it does not help"
        if first.mean < evidence["roman"].mean:
            return refined(measured, f"{why}; against the printed recipe it does.")
        return Verdict(measured, "refuted", f"{why}.")
    return Verdict(measured, "open", "The intervals overlap.")


def longest(evidence: Evidence) -> Verdict:  # noqa: ARG001
    """Claim 35."""
    roman = Roman(7)
    written = int((roman.write([roman.limit]) != len(roman.alphabet) - 1).sum())
    kinds = len(roman.alphabet) - 1
    measured = f"{roman.limit:,} is written with {written} numerals; {kinds} kinds"
    return decided(measured, (written, kinds) == (35, 14), "Counted by writing it.", "The count differs.")


def sizes(evidence: Evidence) -> Table:
    """Errors by the number of cells, and by the pixels of a cell."""
    rows = [[str(count), "120", errors(evidence[name])] for count, name in CELLS.items()]
    rows += [["35", str(pixels), errors(evidence[name])] for pixels, name in PIXELS.items() if pixels != 120]
    note = "Wrong cells with the printed recipe, all trained for as many epochs."
    return Table("Roman addition by cells and pixels", note, ["cells", "pixels a cell", "cells wrong"], rows)


TOPIC = Topic(
    "Roman numerals",
    "Additive Roman numerals, left-aligned in 35 cells, with seven numerals more than the usual ones. The error is "
    "over all 35 cells, blank ones too, as the paper's figures seem to be; the error over written cells stands beside.",
    claims=(
        Claim(
            10,
            "Addition of Roman numerals fails end to end",
            "3.2",
            "74.3 %",
            "notation/roman.py",
            pictures,
            "Refuted if the printed recipe is below 5 %; refined if it is not, and some recipe is below 30 %; else "
            "confirmed.",
        ),
        Claim(
            12,
            "It fails because 35 cells make very large pictures",
            "5",
            "",
            "notation/roman.py",
            cells,
            "From three seeds and as many epochs each: confirmed if at 35 cells the interval of the error with twice "
            "the pixels a cell is above that with half; refined if just more cells are harder; else refuted.",
            before=True,
        ),
        Claim(
            26,
            "Learning the symbols first, unsupervised, would help Roman addition (supposed)",
            "5",
            "",
            "learners/symbols.py",
            symbols,
            "From three seeds and as many epochs each: confirmed if the interval is below that of pixels with the "
            "better recipe; if above, refined where it is below the printed recipe, else refuted; open if they "
            "overlap.",
            before=True,
        ),
        Claim(
            35,
            "9,999,999 takes 35 additive Roman numerals of 14 kinds",
            "3.1",
            "35, 14",
            "notation/roman.py",
            longest,
            "Counted.",
            FIRST,
        ),
    ),
    tables=(sizes, roman_attempts),
)
