"""Networks with weights set by hand, against Python's own arithmetic."""

import itertools
import json
import operator
from pathlib import Path

import numpy as np
import pytest
import torch

import visarith as va
from visarith.cli import main
from visarith.learners.constructed.circuit import Circuit, Sum, signal, staircase, total
from visarith.learners.constructed.constructions import by_carries, by_thresholds
from visarith.learners.constructed.network import Constructed
from visarith.runs.construction import check, hard, keep
from visarith.runs.run import load

FORMS = ("thresholds", "fewest", "carries")
GATES = ("relu", "sigmoid")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("operation", ["add", "subtract"])
def test_every_pair_of_two_digit_numbers(operation: str, gate: str, form: str) -> None:
    task = va.Task(operation, digits=3)
    rule = {"add": operator.add, "subtract": operator.sub}[operation]
    pairs = [(a, b) for a, b in itertools.product(range(100), repeat=2) if operation == "add" or a >= b]
    assert _wrong(Constructed(task, gate, form), task, pairs, [rule(a, b) for a, b in pairs]) == 0


@pytest.mark.parametrize("base", [2, 3, 4, 5])
@pytest.mark.parametrize("operation", ["add", "subtract"])
def test_every_pair_in_small_bases(operation: str, base: int) -> None:
    for digits in (1, 2, 3):
        pairs = list(itertools.product(range(base**digits), repeat=2))
        if operation == "subtract":
            pairs = [(a, b) for a, b in pairs if a >= b]
        answers = [a + b if operation == "add" else a - b for a, b in pairs]
        task = va.Task(operation, digits=digits + 1, base=base)
        for gate, form in itertools.product(GATES, FORMS):
            assert _wrong(Constructed(task, gate, form), task, pairs, answers) == 0, (gate, form, digits)


@pytest.mark.parametrize("base", [2, 3, 5])
def test_every_product_in_small_bases(base: int) -> None:
    for gate, form, digits in itertools.product(GATES, FORMS, (1, 2, 3)):
        task = va.Task("multiply", digits=digits, base=base)
        found = check(Constructed(task, gate, form), task, 1_000_000)
        assert found.every_pair
        assert found.checked == len(task.domain.all())
        assert found.wrong == 0, (gate, form, digits)


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("operation", ["add", "subtract"])
def test_carries_through_every_length(operation: str, gate: str) -> None:
    for digits in (1, 4, 7, 12, 17):
        task = va.Task(operation, digits=digits)
        rows = hard(task)
        longest = 10**digits - 1
        assert ((longest - 1, 1) if operation == "add" else (longest, 1)) in rows
        for length in range(1, digits):
            assert ((10**length - 1, 1) if operation == "add" else (10**length, 1)) in rows
        answers = [a + b if operation == "add" else a - b for a, b in rows]
        assert _wrong(Constructed(task, gate), task, rows, answers) == 0


def test_the_paper_s_count_of_gates() -> None:
    for digits, base in ((4, 10), (7, 10), (3, 2), (2, 36)):
        size = Constructed(va.Task("add", digits=digits, base=base), "sigmoid", "thresholds").size
        assert size.gates == (2 * base * digits, 2 * base * digits, base * digits)  # 20 M, 20 M and 10 M
        assert size.units == size.gates
    assert Constructed(va.Task("add"), "relu").size.units == (280, 280, 140)  # a gate is two ReLUs


def test_fewest_has_one_hidden_layer_for_sums_and_two_for_products() -> None:
    assert Constructed(va.Task("add"), "sigmoid", "fewest").size.gates == (18 + 5 * 19 + 9,)
    assert len(Constructed(va.Task("multiply"), "sigmoid", "fewest").size.gates) == 2


@pytest.mark.parametrize("form", FORMS)
def test_products(form: str) -> None:
    task = va.Task("multiply")
    rows = [*hard(task), *task.domain.draw(2_000, rng=np.random.default_rng(0))]
    assert (3160, 3160) in rows
    assert _wrong(Constructed(task, "relu", form), task, rows, [a * b for a, b in rows]) == 0


@pytest.mark.parametrize("form", FORMS)
def test_roman_numerals(form: str) -> None:
    task = va.Task("add", notation="roman")
    rows = [*hard(task), *task.domain.draw(500, rng=np.random.default_rng(0))]
    assert _wrong(Constructed(task, "sigmoid", form), task, rows, [a + b for a, b in rows]) == 0


def test_a_hundred_digits_need_small_weights() -> None:
    task = va.Task("add", digits=100)
    network = Constructed(task)
    assert (network.form, network.precision) == ("carries", "float32")
    assert network.largest_weight <= 9
    rows = [*hard(task)[:300], *task.domain.draw(50, rng=np.random.default_rng(0))]
    assert _wrong(network, task, rows, [a + b for a, b in rows]) == 0
    with pytest.raises(va.VisarithError, match="float64 cannot hold"):
        Constructed(task, form="thresholds")


def test_floats_that_cannot_hold_the_powers_are_not_used() -> None:
    assert Constructed(va.Task("add", digits=3)).precision == "float32"
    network = Constructed(va.Task("add"))
    assert network.precision == "float64"  # seven digits pass 2**24
    task = va.Task("add")
    rows = [(4_999_999, 4_999_999), (999_999, 1)]
    for module in network.modules():  # the same network in float32 is not exact
        for name, buffer in list(module.named_buffers(recurse=False)):
            if buffer.dtype == torch.float64:
                setattr(module, name, buffer.float())
    network.kind = torch.float32
    many = [*rows, *task.domain.draw(3_000, rng=np.random.default_rng(0))]
    assert _wrong(network, task, many, [a + b for a, b in many]) > 0


def test_a_wrong_weight_is_found() -> None:
    task = va.Task("add", digits=2)
    network = Constructed(task)
    weights = network.sums[0].values
    weights[weights == 30] += 10
    found = check(network, task, 10_000)
    assert found.checked == 2_500  # 0..49 each
    assert found.wrong == 2 * 10 * 50 - 10 * 10  # those with a three in the tens of either


def test_gates_are_on_from_their_threshold() -> None:
    columns = [Sum({0: 1}, most=12), Sum({1: 1}, most=10)]
    for build in (by_thresholds, by_carries):
        for low, high in itertools.product(range(13), range(10)):
            circuit = Circuit()
            spare = {"spare": False} if build is by_thresholds else {}
            digits = build(circuit, columns, [10, 10], **spare)  # type: ignore[operator]
            if low + 10 * high >= 100:
                continue
            values = [low, high]
            for layer in circuit.layers:
                values = [int(_value(layer.sums[which], values) >= least) for which, least in layer.gates]
            read = [[_value(each, values) for each in place] for place in digits]
            assert [place.index(1) for place in read] == [(low + 10 * high) % 10, (low + 10 * high) // 10]
            assert all(sum(place) == 1 for place in read)


def test_sums_and_staircases() -> None:
    both = total([(2, signal(0)), (3, signal(1)), (-2, signal(0))])
    assert both.terms == {1: 3}
    gates = {i: signal(i - 1) for i in (1, 2, 3)}
    stairs = staircase(gates, [5, 2, 2, 7])
    for number, height in enumerate([5, 2, 2, 7]):
        assert _value(stairs, [int(number >= i) for i in (1, 2, 3)]) == height


def test_a_constructed_run_is_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "built")
    assert main(["construct", "add", "--gates", "sigmoid", "--check", "500", "--out", out, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["layers"], said["gates"], said["checked"], said["wrong"]) == (3, [140, 140, 70], 500, 0)
    assert (said["precision"], said["run"]) == ("float64", out)
    run = load(out)
    assert run.calculate(1234567, 2345678) == 3580245
    assert run.score.number_error == 0
    assert main(["evaluate", out, "--pairs", "500", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["number_error"] == 0
    assert main(["calculate", "999999 + 1", "--run", out]) == 0
    assert "right" in capsys.readouterr().out
    assert main(["construct", "add", "--out", out]) == 2
    assert "choose another --out" in capsys.readouterr().err


def test_noise_is_stated(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["construct", "add", "--digits", "3", "--noise", "0.3", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["wrong"] is None
    assert 0 < said["noisy"]["digit_error"] < 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add", "--check", "0"], "check 0 is too small"),
        (["add", "--base", "37"], "base 37"),
        (["add", "--base", "1"], "base 1"),
        (["add", "--digits", "0"], "digits 0"),
        (["add", "--noise", "-1"], "noise -1"),
        (["add", "--digits", "30", "--form", "thresholds"], "use --form carries"),
        (["multiply", "--notation", "roman"], "no construction for multiply of Roman"),
        (["halve"], "invalid choice"),
        (["add", "--gates", "step"], "invalid choice"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(["construct", *arguments])
    except SystemExit as ended:
        code = int(ended.code or 0)
    said = capsys.readouterr().err
    assert code == 2
    assert words in said
    assert said.count("\n") == 1


def test_what_is_constructed_is_not_trained(tmp_path: Path) -> None:
    with pytest.raises(va.VisarithError, match="nothing to learn"):
        va.learn("add", learner="constructed", out=tmp_path / "run")
    with pytest.raises(va.VisarithError, match="leading zeros"):
        keep(va.Task("add", padded=False), va.learner_config("constructed"), out=tmp_path / "run")
    with pytest.raises(va.VisarithError, match="no construction for halve; use one of add, subtract, multiply"):
        va.learner_config("constructed").build(va.Task("halve"))


def _value(each: Sum, values: list[int]) -> int:
    return each.constant + sum(weight * values[number] for number, weight in each.terms.items())


def _wrong(network: Constructed, task: va.Task, rows: list[tuple[int, ...]], answers: list[int]) -> int:
    """Pictures are compared with typeset answers that Python computed."""
    dtype = np.int64 if task.notation.limit < 2**62 else object
    inputs = task.layout.typeset(task.symbols(np.array(rows, dtype)))
    truths = torch.from_numpy(task.layout.typeset(task.notation.write(answers))).float() / 255
    drawn = torch.cat([network(torch.from_numpy(inputs[i : i + 500]).float() / 255) for i in range(0, len(rows), 500)])
    return int(((drawn[:, 0] - truths).abs().flatten(1).amax(1) > 1 / 510).sum())
