"""A sheet of examples, as in the paper's Fig. 1: inputs, the network's answer, the truth."""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

ZOOM, GAP, MARGIN = 4, 10, 16
PAPER, INK = (250, 250, 248), (40, 40, 44)


def examples_sheet(inputs: np.ndarray, answers: np.ndarray, truths: np.ndarray) -> np.ndarray:
    """One column an example, (height, width, 3) in [0, 1]; each argument is (examples, pictures, height, width)."""
    rows = [
        *[(f"input {i + 1}" if inputs.shape[1] > 1 else "input", inputs[:, i]) for i in range(inputs.shape[1])],
        *[(f"answer {i + 1}" if answers.shape[1] > 1 else "answer", answers[:, i]) for i in range(answers.shape[1])],
        *[(f"truth {i + 1}" if truths.shape[1] > 1 else "truth", truths[:, i]) for i in range(truths.shape[1])],
    ]
    high, wide = inputs.shape[2] * ZOOM, inputs.shape[3] * ZOOM
    font = ImageFont.load_default(size=16)
    label = max(round(font.getlength(name)) for name, _ in rows) + GAP
    columns = len(inputs)
    size = (
        2 * MARGIN + label + columns * (wide + GAP) - GAP,
        2 * MARGIN + len(rows) * (high + GAP) - GAP,
    )
    sheet = Image.new("RGB", size, PAPER)
    pen = ImageDraw.Draw(sheet)
    for row, (name, pictures) in enumerate(rows):
        y = MARGIN + row * (high + GAP)
        pen.text((MARGIN, y + high // 2), name, INK, font, anchor="lm")
        for column, picture in enumerate(pictures):
            tile = Image.fromarray((np.clip(picture, 0, 1) * 255).round().astype(np.uint8))
            sheet.paste(
                tile.resize((wide, high), Image.Resampling.NEAREST), (MARGIN + label + column * (wide + GAP), y)
            )
    return np.asarray(sheet) / 255
