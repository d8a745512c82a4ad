"""Noisy addition, and who reads the answers: claims 9, 15 and 16."""

from visarith.evaluation import percent
from visarith.report.estimates import Share, share
from visarith.report.evidence import Evidence, NoResultError, Row
from visarith.report.parts import NOTHING, Claim, Table, Topic, Verdict, errors, refined

NOISE = 0.098  # the paper's error, read by OCR
OFTEN = 0.2  # of blurred answers
CLEAN = 0.1  # root mean square a pixel, of noise of 0.3
READERS = {  # of the study `readers`: how each reads
    "templates": "templates",
    "tesseract": "Tesseract, digits only",
    "open": "Tesseract, any character",
    "sure": "Tesseract, digits only, unsure lines left out",
}
SHOWN = {"add": "sums", "multiply": "products", "noise": "noisy sums", "noise-better": "noisy sums, better recipe"}


def _read(evidence: Evidence, entry: str) -> list[Row]:
    """What the readers made of an entry's answers, a row a seed."""
    rows = [row for row in evidence.rows("readers") if row["entry"] == entry]
    if not rows:
        raise NoResultError(f"readers of {entry}", "visarith reproduce --only readers")
    return rows


def _unread(rows: list[Row], reader: str) -> float:
    """The share of answers with two or more blurred digits that a reader cannot read."""
    blurred = sum(row["blurred"] for row in rows)
    return float(sum(row["readers"][reader]["blurred_unreadable"] for row in rows) / blurred) if blurred else 0.0


def blurred(evidence: Evidence) -> Verdict:
    """Claim 9."""
    rows = _read(evidence, "multiply")
    clear = {name: _clear_unread(_read(evidence, "add"), name) for name in READERS}
    found = {name: _unread(rows, name) for name in READERS if name != "templates"}
    measured = f"of {sum(row['blurred'] for row in rows):,} products with two or more blurred digits unreadable to "
    measured += "; ".join(
        f"{READERS[name]}: {percent(each)} (of sums {percent(clear[name])})" for name, each in found.items()
    )
    often = [name for name, each in found.items() if each > OFTEN and each > 5 * clear[name]]
    if len(often) == len(found):
        return Verdict(measured, "confirmed", "However Tesseract is set, it gives up on many of them.")
    if often:
        return refined(
            measured, f"It depends on how OCR is set: {', '.join(READERS[name] for name in often)} gives up."
        )
    return Verdict(measured, "refuted", "However Tesseract is set, it reads something in most of them.")


def _clear_unread(rows: list[Row], reader: str) -> float:
    return float(sum(row["readers"][reader]["unreadable"] for row in rows) / sum(row["pairs"] for row in rows))


def tolerated(evidence: Evidence) -> Verdict:
    """Claim 15."""
    paper, better = evidence["noise"], evidence["noise-better"]
    left = {"printed": paper.distance, "better": better.distance}
    measured = f"printed recipe {errors(paper)}; better recipe {errors(better)}; right answers are "
    measured += " and ".join("none" if each is None else f"{each:.3f}" for each in left.values())
    measured += " from clean pictures, root mean square"
    clean = [each is not None and each < CLEAN for each in left.values()]
    if not any(clean):
        return Verdict(measured, "refuted", "Answers are not clean of noise, with either recipe.")
    if clean[0] and paper.digits.high <= NOISE:
        return Verdict(
            measured, "confirmed", "Little of the noise of 0.3 is left in right answers, and most are right."
        )
    if clean[1] and better.mean <= NOISE:
        why = (
            "Right and clean are as many as the paper says with another recipe, not with the printed one as we read it."
        )
        return refined(measured, why)
    return refined(measured, "Answers come out clean, but fewer are right than the paper says.")


def people(evidence: Evidence) -> Verdict:
    """Claim 16: open until people have read the answers."""
    read = evidence.people("noise")
    if not read:
        rows = _read(evidence, "noise")
        said = f"of the same {rows[0]['pairs']:,} answers, templates {_share(rows, 'templates')}, Tesseract "
        why = "People were not asked. `visarith read RUN` shows noisy answers and scores what a person types."
        return Verdict(f"{said}{_share(rows, 'tesseract')}", "open", why)
    persons, machine = (
        share(
            [scores[name].digit_error for scores in read],
            [scores[name].pairs for scores in read],
            read[0][name].digit_interval,
            of="answers",
            each="people",
        )
        for name in ("person", "tesseract")
    )
    said = f"of the same {read[0]['person'].pairs:,} answers, people {persons}, Tesseract {machine}"
    if persons.high < machine.low:
        return Verdict(said, "confirmed", "People read these answers better than Tesseract does.")
    if persons.low > machine.high:
        return Verdict(said, "refuted", "People read these answers worse than Tesseract does.")
    return Verdict(said, "open", "The intervals overlap.")


def _share(rows: list[Row], reader: str) -> Share:
    found = [row["readers"][reader] for row in rows]
    bounds = tuple(found[0]["digit_interval"])
    return share([each["digit_error"] for each in found], [row["pairs"] for row in rows], bounds)


def readers(evidence: Evidence) -> Table:
    """What each reader makes of the same answers."""
    rows = []
    for entry, title in SHOWN.items():
        try:
            found = _read(evidence, entry)
        except NoResultError:
            continue
        for name, reader in READERS.items():
            unread = _unread(found, name) if any(row["blurred"] for row in found) else None
            cells = [str(_share(found, name)), percent(_clear_unread(found, name))]
            rows.append([title, reader, *cells, NOTHING if unread is None else percent(unread)])
    if not rows:
        raise NoResultError("readers", "visarith reproduce --only readers")
    note = (
        "All readers see the same answers, the first 2,000 of the test. Unreadable: Tesseract gives another number of "
        "characters, one that is no digit or, where unsure lines are left out, is less sure of the line than of 99 in "
        "100 clean ones. Blurred: a digit that is less than three quarters one glyph, to the templates."
    )
    head = ["answers", "reader", "digits wrong", "lines unreadable", "of those with two blurred digits"]
    return Table("Readers compared", note, head, rows)


TOPIC = Topic(
    "Noise, and who reads the answers",
    "Gaussian noise of sigma 0.3 on inputs and on targets, in training and in the test. The paper reads answers by OCR "
    "and by eye; here templates read all of them, Tesseract some, and anybody can read with `visarith read`.",
    claims=(
        Claim(
            9,
            "OCR often cannot read answers with several blurred digits",
            "3.2",
            "",
            "reading/readers.py",
            blurred,
            "Of products with at least two blurred digits: confirmed if Tesseract cannot read more than 20 %, and five "
            "times the share of sums, in each of three settings; refined if in some; else refuted.",
            before=True,
        ),
        Claim(
            15,
            "Strong noise is tolerated, and answers come out clean of it",
            "3.2",
            "",
            "pictures/corruption.py",
            tolerated,
            "Clean: right answers are less than 0.1 from clean pictures. Refuted if they are clean with neither "
            "recipe; confirmed if they are with the printed one and its interval ends at or below 9.8 %; else "
            "refined.",
        ),
        Claim(
            16,
            "OCR misreads more of those answers than people do",
            "3.2",
            "9.8 %, 3.2 %",
            "studies/readers.py",
            people,
            "Open until people have read; then by whether the intervals of people and Tesseract, on the same answers, "
            "are apart.",
            before=True,
        ),
    ),
    tables=(readers,),
)
