"""A sheet of examples, as in the paper's Fig. 1: inputs, the network's answer, the truth."""

import base64
import io

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
    wide = ZOOM * max(pictures.shape[2] for _, pictures in rows)
    font = ImageFont.load_default(size=16)
    label = max(round(font.getlength(name)) for name, _ in rows) + GAP
    heights = [ZOOM * pictures.shape[1] for _, pictures in rows]
    size = (
        2 * MARGIN + label + len(inputs) * (wide + GAP) - GAP,
        2 * MARGIN + sum(high + GAP for high in heights) - GAP,
    )
    sheet = Image.new("RGB", size, PAPER)
    pen = ImageDraw.Draw(sheet)
    y = MARGIN
    for (name, pictures), high in zip(rows, heights, strict=True):
        pen.text((MARGIN, y + high // 2), name, INK, font, anchor="lm")
        for column, picture in enumerate(pictures):
            tile = Image.fromarray((np.clip(picture, 0, 1) * 255).round().astype(np.uint8))
            tile = tile.resize((ZOOM * picture.shape[1], high), Image.Resampling.NEAREST)
            sheet.paste(tile, (MARGIN + label + column * (wide + GAP), y))
        y += high + GAP
    return np.asarray(sheet) / 255


def as_html(inputs: np.ndarray, answers: np.ndarray, truths: np.ndarray | None = None) -> str:
    """The sheet as an image for a notebook."""
    sheet = examples_sheet(inputs, answers, answers[:, :0] if truths is None else truths)
    file = io.BytesIO()
    Image.fromarray((sheet * 255).round().astype(np.uint8)).save(file, format="PNG")
    return f'<img alt="inputs and answers" src="data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}">'
