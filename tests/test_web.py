"""The HTTP API: answers, pictures, refusals, who may ask, and runs of one's own."""

import base64
import io
import json
import signal
import socket
import struct
import subprocess
import sys
import urllib.request
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont
from starlette.testclient import TestClient

import visarith as va
from conftest import refusal
from visarith.cli import main
from visarith.cli.serve import listen
from visarith.pictures.typeface import Typeface
from visarith.report import exact, table_1
from visarith.report.evidence import Evidence
from visarith.runs.pretrained import pretrained
from visarith.studies.results import Results
from visarith.web import STATIC
from visarith.web.application import application
from visarith.web.foreign import fit
from visarith.web.networks import OPS, TITLES, Networks
from visarith.web.question import LearnerName, OpName

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(application(), base_url="http://127.0.0.1:8000") as made:
        yield made


def ask(client: TestClient, **question: object) -> dict:  # type: ignore[type-arg]
    response = client.get("/api/calculate", params=question)
    assert response.status_code == 200, response.text
    return response.json()


def pixels(picture: dict) -> np.ndarray:  # type: ignore[type-arg]
    return np.frombuffer(base64.b64decode(picture["pixels"]), np.uint8).reshape(picture["height"], picture["width"])


def typeset(number: str, **typeface: object) -> np.ndarray:
    layout = Typeface(**typeface).layout("0123456789", 7)  # type: ignore[arg-type]
    return layout.typeset(np.array([int(digit) for digit in number.zfill(7)]))


def as_json(picture: np.ndarray) -> dict[str, object]:
    text = base64.b64encode(picture.astype(np.uint8).tobytes()).decode()
    return {"height": picture.shape[0], "width": picture.shape[1], "pixels": text}


def png(picture: np.ndarray | Image.Image) -> bytes:
    file = io.BytesIO()
    (picture if isinstance(picture, Image.Image) else Image.fromarray(picture)).save(file, format="PNG")
    return file.getvalue()


def test_every_network_that_ships_is_offered_and_every_operation_has_one_that_is_constructed(
    client: TestClient,
) -> None:
    said = client.get("/api/learners").json()
    names = {network["name"] for network in said["networks"]}
    assert {each.name for each in pretrained() if each.operation in ("add", "subtract", "multiply")} <= names
    assert [each["op"] for each in said["operations"]] == list(OPS)
    for operation in said["operations"]:
        assert "constructed" in operation["learners"]
        assert operation["learners"][0] in ("columns", "tally")
    for network in said["networks"]:
        assert network["thinks"] in ("columns", "rows", "units", "gates")
        assert network["exports"]
        layout = said["pages"][network["page"]]
        assert len(layout["glyphs"]) == len(layout["alphabet"])
        assert len(layout["corners"]) == layout["cells"]


@pytest.mark.parametrize("network", Networks().all(), ids=lambda network: f"{network.op} {network.learner}")
def test_a_network_answers_as_the_run_does_and_the_truth_is_pythons(client: TestClient, network) -> None:  # type: ignore[no-untyped-def]
    a, b = OPS[network.op].example
    said = ask(client, a=a, b=b, op=network.op, learner=network.learner)
    numbers = [network.task.notation.number(text) for text in (a, b)]
    answer = {"add": sum(numbers), "subtract": numbers[0] - numbers[1], "multiply": numbers[0] * numbers[1]}
    truth = network.task.notation.text(network.task.notation.write([answer[network.task.operation.name]])[0])
    assert said["truth"] == truth
    assert said["correct"] == (said["reading"]["text"] == truth)
    assert [cell["right"] for cell in said["reading"]["cells"]].count(False) == 0 or not said["correct"]
    if network.run is not None:
        drawn = network.run.draw(*numbers)
        assert np.abs(pixels(said["answer"]) - drawn * 255).max() <= 1
    if network.learner in ("columns", "tally", "constructed"):
        assert said["correct"]


def test_what_the_engine_says_is_written_down(client: TestClient) -> None:
    written = (STATIC / "engine.md").read_text()
    numbers = {"a": "1234567", "b": "2345678", "op": "add"}
    said = [
        client.get("/api/learners").json(),
        ask(client, **numbers),
        client.post("/api/read", json={"op": "add", "picture": as_json(typeset("1"))}).json(),
    ]
    for name in set().union(*map(names, said)) - {"arabic-bit", "templates"}:
        assert f'"{name}"' in written, name


def names(said: object) -> set[str]:
    """Of all fields, however deep."""
    if isinstance(said, list):
        return set().union(*map(names, said[:3]))
    if isinstance(said, dict):
        return set(said).union(*map(names, said.values()))
    return set()


def test_a_wrong_answer_is_called_wrong(client: TestClient) -> None:
    said = ask(client, a="1234", b="2345", op="multiply", learner="perceptron")
    assert said["correct"] is False
    wrong = [i for i, cell in enumerate(said["reading"]["cells"]) if not cell["right"]]
    assert wrong == [
        i for i, (one, other) in enumerate(zip(said["reading"]["text"], "2893730", strict=True)) if one != other
    ]


def test_permuted_pixels_are_all_one_to_a_perceptron_and_a_scramble_to_columns(client: TestClient) -> None:
    numbers = {"a": "1234567", "b": "2345678", "op": "add"}
    plain, scrambled = (ask(client, **numbers, learner="perceptron", permuted=p, noise=0.1) for p in (False, True))
    assert np.abs(pixels(plain["answer"]).astype(int) - pixels(scrambled["answer"])).max() <= 1
    one, other = pixels(plain["inputs"][0]["picture"]), pixels(scrambled["inputs"][0]["picture"])
    assert sorted(one.ravel()) == sorted(other.ravel())
    assert (one != other).any()
    scramble = ask(client, **numbers, learner="columns", permuted=True)
    assert (scramble["correct"], scramble["unreadable"]) == (None, [list(range(7))] * 2)


def test_noise_is_a_function_of_the_seed(client: TestClient) -> None:
    numbers = {"a": "1", "b": "2", "op": "add", "noise": 0.3}
    first, again, other = (ask(client, **numbers, seed=seed)["inputs"][0]["picture"]["pixels"] for seed in (1, 1, 2))
    assert first == again != other


def test_pictures_are_answered_like_numbers(client: TestClient) -> None:
    given_ = [as_json(typeset(number)) for number in ("1234567", "2345678")]
    said = client.post("/api/predict", json={"op": "add", "pictures": given_}).json()
    assert said["answer"] == ask(client, a="1234567", b="2345678", op="add")["answer"]
    assert [each["reading"] for each in said["inputs"]] == ["1234567", "2345678"]
    assert said["truth"] == "3580245"


@pytest.mark.parametrize("learner", ["columns", "perceptron", "constructed"])
def test_no_truth_is_derived_from_half_a_digit(client: TestClient, learner: str) -> None:
    seven, eight = (as_json(typeset(number)) for number in ("7", "8"))
    half = (0.45 * typeset("7") + 0.55 * typeset("8")).round()
    said = client.post(
        "/api/predict", json={"op": "add", "learner": learner, "pictures": [as_json(half), seven]}
    ).json()
    assert (said["truth"], said["correct"], said["unreadable"]) == (None, None, [[6], []])
    said = client.post("/api/predict", json={"op": "add", "learner": learner, "pictures": [eight, seven]}).json()
    assert (said["truth"], said["unreadable"]) == ("0000015", [[], []])


@pytest.mark.parametrize(("op", "truth"), [("add", lambda a, b: a + b), ("multiply", lambda a, b: a * b)])
def test_numbers_of_any_length_are_answered(client: TestClient, op: str, truth) -> None:  # type: ignore[no-untyped-def]
    a, b = 27182818284590452353602874713, 31415926535897932384626433832
    said = ask(client, a=str(a), b=str(b), op=op, learner="columns")
    assert (int(said["reading"]["text"]), said["correct"]) == (truth(a, b), True)


def test_a_roman_number_without_a_certificate_says_so(client: TestClient) -> None:
    assert "no certificate" in ask(client, a="5000000", b="1", op="roman")["warning"]
    assert ask(client, a="4999999", b="1", op="roman")["warning"] == ""


def test_a_picture_that_cannot_be_read_has_no_truth(client: TestClient) -> None:
    blank = as_json(np.zeros((15, 60)))
    said = client.post("/api/predict", json={"op": "add", "pictures": [blank, blank]}).json()
    assert said["truth"] is None
    assert said["correct"] is None
    assert "?" in said["inputs"][0]["reading"]


def test_png_files_in_a_form_and_a_png_back(client: TestClient) -> None:
    large = Image.fromarray(255 - typeset("1234567")).resize((480, 120), Image.Resampling.NEAREST)
    files = {"a": ("a.png", png(large), "image/png"), "b": ("b.png", png(typeset("2345678")), "image/png")}
    said = client.post("/api/predict", files=files, data={"op": "add", "learner": "columns"})
    assert said.json()["correct"] is True
    assert said.json()["truth"] == "3580245"
    answer = client.post("/api/predict", files=files, data={"op": "add"}, headers={"accept": "image/png"})
    assert answer.headers["content-type"] == "image/png"
    drawn = np.asarray(Image.open(io.BytesIO(answer.content)))
    assert (drawn == pixels(said.json()["answer"])).all()
    in_json = {"pictures": [{"png": base64.b64encode(data).decode()} for _, data, _ in files.values()]}
    assert client.post("/api/predict", json=in_json).json()["answer"] == said.json()["answer"]


@pytest.mark.parametrize(("size", "ground", "ink"), [(37, 255, 0), (90, 0, 255), (24, 240, 60)])
def test_a_number_in_another_size_is_put_into_cells(client: TestClient, size: int, ground: int, ink: int) -> None:
    font = ImageFont.truetype(str(Typeface()._file("0")), size)
    canvas = Image.new("L", (int(font.getlength("4096")) + 3 * size, 2 * size), ground)
    pen = ImageDraw.Draw(canvas)
    for number, digit in enumerate("4096"):
        pen.text((size + number * size * 0.75, size // 2), digit, font=font, fill=ink)
    files = {"a": ("a.png", png(canvas), "image/png"), "b": ("b.png", png(typeset("1")), "image/png")}
    said = client.post("/api/predict", files=files).json()
    assert said["inputs"][0]["reading"] == "0004096"
    assert said["reading"]["text"] == "0004097"


def test_more_symbols_than_cells_are_refused() -> None:
    stripes = np.zeros((20, 60), np.float32)
    stripes[5:15, 4:56:6] = 1  # nine strokes
    assert "9 symbols, and there are 7 cells" in refusal(fit, stripes, Typeface().layout("0123456789", 7))


def test_tesseract_reads_an_answer_and_templates_do(client: TestClient) -> None:
    said = client.post(
        "/api/read", json={"op": "add", "picture": as_json(typeset("3580245")), "truth": "3580246"}
    ).json()
    assert said["text"] == said["templates"]["text"] == "3580245"
    assert [cell["right"] for cell in said["cells"]] == [True] * 6 + [False]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"a": "", "b": "1"}, "a is missing"),
        ({"a": "1" * 61, "b": "1"}, "a has 61 digits; give up to 60"),
        ({"a": "12345678", "b": "1", "learner": "perceptron"}, "a has 8 digits, and this network sees 7"),
        ({"a": "9999999", "b": "1", "learner": "constructed"}, "above 9,999,999"),
        ({"a": "9" * 30, "b": "1", "op": "roman"}, "above 9,999,999"),
        ({"a": "1", "b": "2", "op": "subtract"}, "negative"),
        ({"a": "x", "b": "2"}, "no number"),
        ({"a": "-5", "b": "2"}, "negative"),
        ({"a": "1", "b": "2", "op": "power"}, "op 'power' is unknown"),
        ({"a": "1", "b": "2", "learner": "oracle"}, "learner 'oracle' is not available"),
        ({"a": "1", "b": "2", "noise": "nan"}, "noise cannot be used"),
        ({"a": "1", "b": "2", "noise": -1}, "noise cannot be used"),
        ({"a": "1", "b": "2", "seed": -1}, "seed cannot be used"),
        ({"a": "1", "b": "2", "oops": 1}, "oops cannot be used"),
        ({"a": "IIII IV", "b": "V", "op": "roman"}, "no number"),
    ],
)
def test_a_refusal_is_one_clear_sentence(client: TestClient, question: dict[str, object], said: str) -> None:
    response = client.get("/api/calculate", params=question)
    assert response.status_code == 422
    assert said in response.json()["detail"]
    assert "\n" not in response.json()["detail"]


def test_pictures_that_are_too_large_or_none_are_refused(client: TestClient) -> None:
    small = ("b.png", png(typeset("1")), "image/png")
    for data, status in (
        (b"x" * 1_000_001, 413),
        (png(Image.new("L", (4001, 10))), 413),
        (_bomb(50_000, 50_000), 413),
        (b"", 422),
        (b"GIF89a" + b"x" * 100, 422),
        (png(typeset("1"))[:60], 422),
    ):
        response = client.post("/api/predict", files={"a": ("a.png", data, "image/png"), "b": small})
        assert response.status_code == status, response.text
        assert response.json()["detail"]
    assert client.post("/api/predict", content=b"x" * 3_000_001).status_code == 413
    chunks = (b"x" * 100_000 for _ in range(40))  # says no length
    assert client.post("/api/predict", content=chunks).status_code == 413
    only = client.post("/api/predict", files={"a": small})
    assert only.status_code == 422


def _bomb(width: int, height: int) -> bytes:
    """A small file that says it is a huge picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 10**6)) + chunk(b"IEND", b"")
    )


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_subnormal=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from(["op", "learner", "a", "b", "pictures", "noise", "seed", "permuted", "picture", "truth"])
nearly = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "roman", "subtract", "x"])},
    optional={
        "a": st.text("0123456789IVX -", max_size=9),
        "b": st.text("0123456789IVX -", max_size=9),
        "pictures": st.lists(
            st.dictionaries(st.sampled_from(["pixels", "png", "height", "width"]), anything), max_size=3
        ),
        "picture": st.dictionaries(st.sampled_from(["pixels", "png", "height", "width"]), anything),
        "noise": st.floats(allow_subnormal=False),
        "learner": st.sampled_from(["", "columns", "perceptron", "constructed", "?"]),
        "truth": st.text(max_size=9),
    },
)


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(["predict", "read"]), nearly | st.dictionaries(fields, anything, max_size=5) | anything)
def test_nothing_that_is_sent_makes_the_server_fail(client: TestClient, path: str, body: object) -> None:
    response = client.post(f"/api/{path}", content=json.dumps(body), headers={"content-type": "application/json"})
    assert response.status_code in (200, 413, 422), response.text
    if response.status_code != 200:
        assert set(response.json()) == {"detail"}


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(fields, st.text(max_size=20), max_size=6))
def test_no_address_makes_the_server_fail(client: TestClient, question: dict[str, str]) -> None:
    assert client.get("/api/calculate", params=question).status_code in (200, 422)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.binary(max_size=200), st.sampled_from(["application/json", "multipart/form-data; boundary=x", "text/plain", ""])
)
def test_no_body_makes_the_server_fail(client: TestClient, body: bytes, kind: str) -> None:
    response = client.post("/api/predict", content=body, headers={"content-type": kind})
    assert response.status_code in (413, 422), response.text
    assert "detail" in response.json()


def test_only_local_hosts_are_answered() -> None:
    with TestClient(application(), base_url="http://127.0.0.1") as client:
        for host, status in (
            ("127.0.0.1:8000", 200),
            ("localhost", 200),
            ("[::1]:8000", 200),
            ("evil.example", 421),
            ("127.0.0.1.evil.example", 421),
            ("", 421),
        ):
            response = client.get("/", headers={"host": host})
            assert response.status_code == status, host
    with TestClient(application("numbers.example"), base_url="http://numbers.example") as client:
        assert client.get("/").status_code == 200
        assert client.get("/", headers={"host": "evil.example"}).status_code == 421
    with TestClient(application("0.0.0.0"), base_url="http://any.example") as client:
        assert client.get("/").status_code == 200


def test_headers_let_nothing_in_from_elsewhere(client: TestClient) -> None:
    for path in ("/", "/docs", "/api/learners", "/page.js", "/nothing", "/api/calculate"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
    for path in ("/", "/docs"):
        assert "http" not in client.get(path).text


def test_the_documentation_is_served_from_the_package(client: TestClient) -> None:
    for name in ("swagger-ui-bundle.js", "swagger-ui.css", "docs.js", "docs.css"):
        assert client.get(f"/docs/{name}").status_code == 200
    assert client.get("/docs/index.html").status_code == 404
    for name in ("/static/../application.py", "/weights/%2e%2e/page.js", "/engine.md", "/weights/none.js"):
        assert client.get(name).status_code == 404
    paths = client.get("/api/openapi.json").json()["paths"]
    assert set(paths) == {f"/api/{name}" for name in ("learners", "calculate", "predict", "read")}


def shipped_results() -> dict:  # type: ignore[type-arg]
    return json.loads((STATIC / "results.json").read_text())


def test_the_results_that_ship_name_networks_that_are_there(client: TestClient) -> None:
    said = shipped_results()
    tried = [row["try"] for table in said["tables"] for row in table["rows"] if "try" in row]
    assert len({(each["op"], each["learner"]) for each in tried}) >= 7
    for each in tried:
        ask(client, a=OPS[each["op"]].example[0], b=OPS[each["op"]].example[1], **each)
    for table in said["tables"]:
        assert all(len(row["cells"]) == len(table["head"]) for row in table["rows"])
    assert "/tmp" not in (STATIC / "results.json").read_text()


def test_the_results_that_ship_are_the_stored_ones() -> None:
    evidence = Evidence(Results(ROOT / "results"))
    shipped = shipped_results()["tables"]
    for made, there in zip((table_1.readme(evidence), exact.readme(evidence)), shipped, strict=False):
        assert [row["cells"] for row in there["rows"]] == [list(row) for row in made.rows], "run make docs"


def test_the_documentation_of_the_api_is_typed_and_its_examples_work(client: TestClient) -> None:
    assert [*OpName] == list(OPS)
    assert [*LearnerName] == list(TITLES)
    said = client.get("/api/openapi.json").json()
    for path, methods in said["paths"].items():
        for about in methods.values():
            assert "$ref" in about["responses"]["200"]["content"]["application/json"]["schema"], path
            assert about["description"]
    body = said["paths"]["/api/predict"]["post"]["requestBody"]["content"]["application/json"]["example"]
    assert client.post("/api/predict", json=body).json()["truth"] == "3580245"
    sum_ = said["paths"]["/api/read"]["post"]["requestBody"]["content"]["application/json"]["examples"]["sum"]["value"]
    assert client.post("/api/read", json=sum_).json()["templates"]["text"] == "3580245"


@pytest.fixture(scope="module")
def mine() -> va.Run:
    """A run of one's own for addition."""
    return replace(next(each for each in pretrained() if each.name == "perceptron-add").load(), path=Path("runs/mine"))


def test_runs_of_ones_own_are_offered_first(mine: va.Run) -> None:
    distance = va.load(ROOT / "tests" / "runs" / "distance")
    with TestClient(application(runs=[mine, distance]), base_url="http://127.0.0.1") as client:
        said = client.get("/api/learners").json()["operations"]
        assert said[0]["learners"][0] == "own-mine"
        assert (said[-1]["title"], said[-1]["learners"], said[-1]["rule"]) == ("abs(a - b)", ["own-distance"], None)
        assert '"own-mine"' in client.get("/data.js").text
        assert client.get("/weights/own-mine.js").status_code == 200
        assert ask(client, a="1", b="2", op="add")["network"] == "own-mine"
        told = ask(client, a="12", b="21", op=said[-1]["op"])  # in base 3
        assert (told["truth"], told["correct"]) == ("0002", True)


def test_runs_that_the_page_cannot_show_are_refused(mine: va.Run) -> None:
    task = va.Task("add-three", digits=2)
    three = replace(mine, shown=task, learner=va.learner_config(hidden_layers=1, width=4).build(task))
    assert "takes 3 numbers" in refusal(Networks, [three])
    assert "two runs are named" in refusal(Networks, [mine, mine])


def test_a_learner_that_browsers_do_not_run_is_answered_here(mine: va.Run) -> None:
    learner = va.learner_config("convolutional", width=8).build(mine.task).eval()
    with TestClient(application(runs=[replace(mine, learner=learner)]), base_url="http://127.0.0.1") as client:
        listed = client.get("/api/learners").json()["networks"]
        assert [each["exports"] for each in listed if each["name"] == "own-mine"] == [False]
        assert client.get("/weights/own-mine.js").status_code == 404
        assert ask(client, a="1", b="1", op="add", learner="own-mine")["network"] == "own-mine"


def test_small_answers_do_not_wait() -> None:
    with listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP  # otherwise asyncio leaves Nagle's algorithm on: 40 ms an answer


@pytest.mark.parametrize(("host", "open_to"), [("127.0.0.1", ""), ("0.0.0.0", "anybody who reaches 0.0.0.0")])
def test_whoever_serves_everybody_is_told_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, host: str, open_to: str
) -> None:
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    before = signal.getsignal(signal.SIGTERM)
    assert main(["serve", "--host", host, "--port", "0", "--no-browser"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("http://127.0.0.1:")
    assert (f"from elsewhere http://{socket.gethostname()}:" in out) == bool(open_to)
    assert open_to in err
    assert ("no passwords" in err) == bool(open_to)
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_truth_that_the_picture_cannot_show_and_a_number_of_thousands_of_digits_are_refused(
    client: TestClient,
) -> None:
    picture = as_json(typeset("1"))
    for digits in (8, 18, 19, 64):
        said = client.post("/api/read", json={"op": "add", "picture": picture, "truth": "9" * digits})
        assert (said.status_code, "above 9,999,999" in said.json()["detail"]) == (422, True)
    for body in ("9" * 5_000, '{"seed": ' + "9" * 5_000 + "}"):
        for path in ("predict", "read"):
            said = client.post(f"/api/{path}", content=body, headers={"content-type": "application/json"})
            assert said.status_code == 422


def test_serve_complains_in_one_line_and_ends_cleanly(capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-m", "visarith", "serve", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            said = json.loads(server.stdout.readline())
            with urllib.request.urlopen(said["address"]) as answer:
                assert answer.status == 200
            for options, why in (
                (["--port", str(said["port"])], "cannot be served"),
                (["--host", "no such host"], "is unknown"),
                (["--host", "192.0.2.1"], "cannot be served"),
                (["--port", "99999"], "port 99999 is too large"),
            ):
                assert main(["serve", *options]) == 2
                refused = capsys.readouterr().err
                assert refused.count("\n") == 1
                assert why in refused
            server.send_signal(signal.SIGINT)
            assert server.wait(20) == 0
            assert server.stderr
            assert "Traceback" not in server.stderr.read()
        finally:
            server.kill()  # if an assertion failed: `with` waits for the end of the server
