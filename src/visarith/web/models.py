"""What the API answers: the models of its responses, as OpenAPI documents them."""

from pydantic import BaseModel, Field


class PixelsJson(BaseModel):
    """A picture: light ink (255) on dark ground (0), row by row, as base64 of height x width bytes."""

    height: int = Field(examples=[15])
    width: int = Field(examples=[60])
    pixels: str


class Input(BaseModel):
    """What the network was shown of one number, and what templates read in it before noise."""

    picture: PixelsJson
    reading: str = Field(examples=["1234567"], description='"?" stands for a cell that is read with less than 0.5')


class Cell(BaseModel):
    """One cell of an answer: " " if it is blank, "?" if no symbol can be read."""

    symbol: str = Field(examples=["3"])
    confidence: float = Field(ge=0, le=1, description="1 at a perfect glyph, 0 half way to another")
    right: bool | None = Field(description="null where the truth is unknown")


class Reading(BaseModel):
    """What a reader finds in an answer picture. Tesseract's confidence is that of the whole line."""

    reader: str = Field(examples=["templates"])
    text: str = Field(examples=["3580245"])
    confidence: float
    cells: list[Cell]


class Read(Reading):
    """Tesseract's reading, and beside it that of templates."""

    templates: Reading


class Answer(BaseModel):
    """The answer of a network. Where a cell of the inputs cannot be read, there is no truth, and `correct` is null."""

    op: str = Field(examples=["add"])
    learner: str = Field(examples=["columns"])
    network: str = Field(examples=["columns-add"])
    noise: float
    seed: int
    permuted: bool
    inputs: list[Input]
    answer: PixelsJson
    reading: Reading
    truth: str | None = Field(examples=["3580245"])
    correct: bool | None
    input_confidence: float = Field(description="of the least sure input cell")
    unreadable: list[list[int]] = Field(
        description="for each input the cells that cannot be read, from the left, from 0"
    )
    warning: str = Field(description='"", or a sentence such as for numbers outside the range of the examples')
    milliseconds: float


class OperationJson(BaseModel):
    """An operation, and the networks that offer it, best first."""

    op: str = Field(examples=["add"])
    title: str = Field(examples=["Addition"])
    sign: str = Field(examples=["+"])
    notation: str = Field(examples=["arabic"])
    rule: str | None = Field(
        description="the arithmetic that the page knows by itself; null for rules of one's own", examples=["add"]
    )
    learners: list[str] = Field(examples=[["columns", "perceptron"]])


class NetworkJson(BaseModel):
    """A network: what it is, what it was shown and given, and how often it errs on pairs that it had not seen."""

    op: str = Field(examples=["add"])
    learner: str = Field(examples=["columns"])
    name: str = Field(examples=["columns-add"])
    title: str = Field(examples=["Columns"])
    noise: float = Field(description="sigma of the noise that it was trained with", examples=[0.0])
    weights: int = Field(examples=[49_200])
    examples: int = Field(description="pairs that it was shown", examples=[150_000])
    digit_error: float = Field(description="share of wrong digits", examples=[0.0])
    number_error: float = Field(description="share of answers with a wrong digit", examples=[0.0])
    tested: int = Field(description="pairs of the test", examples=[30_000])
    wrong: str = Field(description="digit_error in words", examples=["0.046 %"])
    described: str = Field(description="the network in a few words")
    given: str = Field(description="what it was told beforehand")
    thinks: str = Field(description="which steps the page can show: columns, rows, units, gates, or none")
    page: str = Field(description="its key in `pages`", examples=["arabic"])
    example: list[str] = Field(description="two numbers that it can calculate with", examples=[["1234567", "2345678"]])
    largest: str = Field(description="the largest operand of its examples", examples=["4999999"])
    trained: bool = Field(description="whether it learned, or its weights were set by hand")
    lengthens: bool = Field(description="whether it takes numbers of any length")
    exports: bool = Field(description="whether it runs in a browser")
    command: str = Field(description="which trains it", examples=["visarith train add"])


class LayoutJson(BaseModel):
    """How numbers look: glyph g of the alphabet is `glyphs[g]`; cell i begins at row and column `corners[i]`."""

    alphabet: str = Field(examples=["0123456789"])
    cells: int = Field(examples=[7])
    height: int
    width: int
    glyph_height: int
    glyph_width: int
    corners: list[list[int]]
    glyphs: list[str] = Field(description="each as base64 of glyph_height x glyph_width bytes")


class Offered(BaseModel):
    """Operations, networks, and layouts by name."""

    operations: list[OperationJson]
    networks: list[NetworkJson]
    pages: dict[str, LayoutJson]


class Refusal(BaseModel):
    """Why a request cannot be answered, in one sentence."""

    detail: str = Field(examples=["a has 8 digits, and this network sees 7; give a shorter one"])
