"""Options of the learner that would have no effect are refused."""

import pytest

from rosenblatt import load


@pytest.mark.parametrize("command", [["train", "four.svm", "-m", "m"], ["validate", "four.svm"]])
@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--alpha", 0.1], "--alpha goes with --penalty: give --penalty l2, l1 or elasticnet"),
        (["--alpha", 0.0001], "--alpha goes with --penalty"),
        (["--rule", "pa", "--eta0", 2], "--eta0 has no effect on --rule pa"),
        (["--rule", "aromma", "--eta0", 2], "or give --rule alma, whose C it is"),
        (["--rule", "auto", "--scale"], "--scale has no effect on --rule auto"),
        (["--rule", "auto", "--probabilities"], "--probabilities has no effect on --rule auto"),
        (["--rule", "minover"], "minover chooses its row among all rows, and this command"),
    ],
)
def test_options_without_an_effect_are_refused(folder, call, command, options, problem):
    status, out, err = call(*command, *options)
    assert (status, out) == (2, "")
    assert problem in err
    assert not (folder / "m").exists()


def test_of_several_rules_the_message_names_the_command_that_compares_them(call):
    rules = ["--rule", "auto", "--rule", "pa1"]
    hint = "To compare rules, each with the options that it takes: rosenblatt tune."
    several, one = (call("validate", "a", *some, "--scale")[2] for some in (rules, rules[:2]))
    assert "--scale has no effect on --rule auto" in one
    assert hint in several
    assert hint not in one
    assert call("tune", "sklearn:iris", *rules, "--scale", "-q")[0] == 0


@pytest.mark.parametrize("options", [["--alpha", 0.1, "--penalty", "l2"], ["--eta0", 2]])
def test_options_with_an_effect_are_accepted(folder, call, options):
    assert call("train", "four.svm", "-m", "m", "-q", *options)[0] == 0


def test_a_seed_is_accepted_where_nothing_is_random(folder, call):
    train = ["train", "sklearn:iris", "-q", "-m"]
    for name, *options in (("a", "--seed", 3), ("b", "--seed", 4), ("c", "--seed", 3, "--shuffle")):
        assert call(*train, name, *options)[0] == 0
    a, b, c = (load(name).coef_.tolist() for name in "abc")
    assert a == b != c


def test_the_default_rule_is_auto_unless_an_option_is_of_others(folder, call):
    def rule(*options):
        assert call("train", "four.svm", "-m", "m", "-q", *options)[0] == 0
        return load("m").rule

    assert rule() == rule("--epochs", 2, "--shuffle", "--class-weight", "balanced") == "auto"
    assert rule("--probabilities") == "auto"
    for options in (["--average"], ["--scale"], ["--multi-class", "joint"], ["--eta0", 2]):
        assert rule(*options) == "perceptron"
    for options in (["--penalty", "l2"], ["--expansion"], ["--vote"], ["--kernel", "rbf"]):
        assert rule(*options) == "perceptron"
    assert call("train", "four.svm", "--from", "m", "-q")[0] == 0  # a kernel model goes on
    assert load("m").rule == "perceptron"


def test_a_rule_that_scale_alone_chose_is_noted(folder, call):
    note = "note: --scale alone takes the rule perceptron: auto, the default, needs no scale."
    train = ("train", "four.svm", "-m", "m", "--scale")
    assert note in call(*train)[2]
    for options in (["--rule", "perceptron"], ["--average"], ["-q"], ["--resume"]):
        assert "--scale alone" not in call(*train, *options)[2]


def test_a_run_goes_on_with_its_rule(folder, call):
    for options in ([], ["--rule", "perceptron"], ["--average"]):
        assert call("train", "four.svm", "-m", "m", "-q", *options)[0] == 0
        rule = load("m").rule
        given = options if options == ["--average"] else []
        assert call("train", "four.svm", "-m", "m", "-q", "--resume", *given)[0] == 0
        assert load("m").rule == rule


def test_a_validation_has_the_same_default(folder, call):
    def out(*options):
        return call("validate", "four.svm", "-q", "--json", *options)[1]

    assert out() == out("--rule", "auto")
    assert out("--average") == out("--average", "--rule", "perceptron")
