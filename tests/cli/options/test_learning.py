"""Options of the learner that would have no effect are refused."""

import pytest


@pytest.mark.parametrize("command", [["train", "four.svm", "-m", "m"], ["validate", "four.svm"]])
@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--alpha", 0.1], "--alpha goes with --penalty: give --penalty l2, l1 or elasticnet"),
        (["--alpha", 0.0001], "--alpha goes with --penalty"),
        (["--rule", "pa", "--eta0", 2], "--eta0 has no effect on --rule pa"),
        (["--rule", "aromma", "--eta0", 2], "or give --rule alma, whose C it is"),
        (["--rule", "minover"], "minover chooses its row among all rows, and this command"),
    ],
)
def test_options_without_an_effect_are_refused(folder, call, command, options, problem):
    status, out, err = call(*command, *options)
    assert (status, out) == (2, "")
    assert problem in err
    assert not (folder / "m").exists()


@pytest.mark.parametrize("options", [["--alpha", 0.1, "--penalty", "l2"], ["--eta0", 2]])
def test_options_with_an_effect_are_accepted(folder, call, options):
    assert call("train", "four.svm", "-m", "m", "-q", *options)[0] == 0


def test_a_seed_needs_something_random(folder, call):
    train = ["train", "sklearn:iris", "-m", "m", "-q", "--seed", 3]
    status, _, err = call(*train)
    assert status == 2
    assert "--seed goes with --shuffle or --holdout" in err
    assert call(*train, "--shuffle")[0] == 0
    assert call(*train, "--holdout", 0.2)[0] == 0
