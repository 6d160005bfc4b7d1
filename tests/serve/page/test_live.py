"""The page while the model learns: its figures follow, and "correct this" changes the model."""

import re

import pytest
from playwright.sync_api import expect

SPAM, HAM = "win a prize", "lunch on monday"


def learn(server, model, *examples):
    rows = [{"features": features, "label": label} for features, label in examples]
    return server.post(f"/v1/models/{model}/learn", rows)


def test_figures_follow_the_model(server, model, visit):
    page = visit(model)
    expect(page.locator("#tile-mistakes .figure")).to_have_text("0")
    expect(page.locator("#recent .note").first).to_be_visible()
    learned = learn(server, model, *[(SPAM, "spam"), (HAM, "ham")] * 50)
    wrong = sum(not answer["was_right"] for answer in learned)
    about = server.get(f"/v1/models/{model}")
    assert about["errors"] == wrong
    expect(page.locator("#tile-mistakes .figure")).to_have_text(str(wrong))
    expect(page.locator("#tile-mistakes")).to_contain_text("of 100 examples")
    expect(page.locator("#tile-error .figure")).to_have_text(f"{wrong:.1f}\u00a0%")
    low, high = (f"{100 * share:.{1 if share > 0.00995 else 2}f}" for share in about["interval"])
    expect(page.locator("#tile-error .note")).to_have_text(
        f"95 % sure: {low}\u00a0–\u00a0{high}\u00a0%"
    )
    expect(page.locator("#tile-recent-error")).to_contain_text("always “spam”: 50.0")
    expect(page.locator(f"#models a[href='#{model}']")).to_contain_text("100 learned")
    expect(page.locator("#progress .stage svg")).to_have_attribute(
        "aria-label", re.compile("after 100 examples")
    )
    cells = page.locator("#confusion tbody tr").first.locator("td").all_inner_texts()
    assert sum(map(int, cells)) == 50
    expect(page.locator("#features li", has_text="prize")).to_have_count(1)
    expect(page.locator("#recent li")).to_have_count(12)
    learn(server, model, (HAM, "spam"))
    expect(page.locator("#tile-mistakes .figure")).to_have_text(str(wrong + 1))
    expect(page.locator("#recent li").first).to_contain_text("#101")
    expect(page.locator("#recent li").first.locator(".mark")).to_have_text("✗")


def test_the_curve_and_the_band_are_whole(server, model, visit):
    learn(server, model, *[(f"{SPAM} {j}", "spam") for j in range(200)], (HAM, "ham"))
    page = visit(model)
    stage = page.locator("#progress .stage svg")
    expect(stage.locator("path.curve")).to_have_count(1)
    height = stage.evaluate("svg => svg.viewBox.baseVal.height")
    points = {
        name: [float(n) for n in re.findall(r"[\d.]+", stage.locator(name).get_attribute("d"))]
        for name in ("path.curve", "path.windowed", "path.band")
    }
    ticks = {
        text.text_content(): float(text.get_attribute("y")) - 4
        for text in stage.locator("text").all()
        if "%" in text.text_content()
    }
    zero, of_100 = ticks["0\u00a0%"], ticks["100\u00a0%"]
    assert 0 <= of_100 < zero < height
    assert abs(points["path.curve"][1] - of_100) < 1  # the first example is an error
    for name, numbers in points.items():
        assert all(of_100 - 1 <= y <= zero + 1 for y in numbers[1::2]), name


def test_what_is_of_all_models_stands_apart(server, model, visit):
    page = visit(model)
    expect(page.locator("#tile-drift .figure")).to_have_text("calm")
    titles = page.locator("#tiles .title").all_inner_texts()
    assert titles == ["Error so far", "Last 1,000", "Mistakes", "Drift"]
    whole = page.locator("#service")
    expect(whole.locator("h2").first).to_have_text("The whole service")
    assert whole.locator(".tile .title").all_inner_texts() == ["Learned", "Predicted"]
    expect(whole.locator("#latency")).to_have_count(1)
    below = page.locator("#history").bounding_box()
    assert whole.bounding_box()["y"] > below["y"] + below["height"]


def test_throughput_and_latency_follow(server, model, visit):
    page = visit(model)
    expect(page.locator("#tile-learned .figure")).not_to_have_text("–")
    expect(page.locator("#latency tbody tr").first).to_contain_text("–")
    for _ in range(20):
        learn(server, model, (SPAM, "spam"))
        server.post(f"/v1/models/{model}/predict", {"features": SPAM})
    for row in page.locator("#latency tbody tr").all():
        expect(row.locator("td").first).to_have_text(re.compile(r"\d (µs|ms|s)"))
    expect(page.locator("#latency")).to_contain_text(re.compile(r"[\d.]+ commits a second, with "))
    expect(page.locator("#tile-predicted .line")).to_have_count(1)
    total = server.raw("GET", "/metrics")[2].decode()
    learned = int(float(re.search(r"^rosenblatt_examples_total (\S+)", total, re.M)[1]))
    expect(page.locator("#tile-learned .note")).to_have_text(f"{learned:,} since the start")


def test_correct_this_teaches_the_other_label(server, model, visit):
    learn(server, model, (HAM, "ham"), (SPAM, "spam"), (SPAM, "spam"), (SPAM, "ham"))
    page = visit(model)
    last = page.locator("#recent li").first
    expect(last).to_contain_text(SPAM)
    last.get_by_role("button", name="Correct version 4: it is spam").click()
    expect(last).to_contain_text("learned as “spam” · version 5")
    expect(last.get_by_role("button")).to_have_count(0)
    example = server.get(f"/v1/models/{model}/versions/5")
    assert (example["features"], example["label"], example["weight"]) == (SPAM, "spam", 1.0)
    assert server.post(f"/v1/models/{model}/predict", {"features": SPAM})["label"] == "spam"
    expect(page.locator("#recent .note").first).to_have_text("held while you are here")
    page.locator("#tile-error").hover()
    page.evaluate("document.activeElement.blur()")
    expect(page.locator("#recent li").first).to_contain_text("#5")


def test_a_correction_keeps_features_that_the_page_cuts(server, model, visit):
    row = {f"feature {j}": j / 8 for j in range(100)}
    learn(server, model, (row, True), ({"other": 1.0}, False))
    page = visit(model)
    expect(page.locator("#recent li").nth(1)).to_contain_text("and 88 more")
    page.get_by_role("button", name="Correct version 1: it is false").click()
    expect(page.locator("#recent")).to_contain_text("learned as “false” · version 3")
    example = server.get(f"/v1/models/{model}/versions/3")
    assert (example["features"], example["label"]) == (row, False)


def test_many_labels_are_a_list_to_choose_from(server, model, visit):
    learn(server, model, *[(f"word{j}", j) for j in range(20)])
    page = visit(model)
    choice = page.get_by_label("Correct version 20", exact=True)
    expect(choice.locator("option")).to_have_count(20)
    choice.select_option("7")
    expect(page.locator("#recent")).to_contain_text("learned as “7” · version 21")
    assert server.get(f"/v1/models/{model}/versions/21")["label"] == 7


def test_a_correction_that_is_refused_says_why(server, model, visit):
    learn(server, model, (HAM, "ham"), (SPAM, "spam"))
    page = visit(model)
    button = page.get_by_role("button", name="Correct version 2: it is ham")
    full = {"detail": "the disk is full"}
    page.route("**/learn", lambda route: route.fulfill(status=507, json=full), times=1)
    button.click()
    expect(page.locator("#messages")).to_have_text("the disk is full")
    assert all("507" in text for text in page.messages)  # the browser's own words
    page.messages.clear()
    button.click()
    expect(page.locator("#recent")).to_contain_text("learned as “ham” · version 3")


def test_what_is_erased_leaves_the_page_at_once(server, model, visit):
    learn(server, model, (HAM, "ham"), (SPAM, "spam"))
    page = visit(model)
    page.locator("#recent li", has_text=SPAM).hover()
    server.ask("DELETE", f"/v1/models/{model}/versions/2")
    expect(page.locator("#recent li", has_text=SPAM)).to_have_count(0)
    expect(page.locator("#recent")).to_contain_text("None since the service started.")
    expect(page.locator("#history")).to_contain_text("example erased")


def test_drift_shadows_and_versions_are_shown(server, model, visit):
    server.post(f"/v1/models/{model}/shadows", {"name": "pa", "config": {"rule": "pa"}}, status=201)
    learn(server, model, *[(SPAM, "spam"), (HAM, "ham")] * 500)
    page = visit(model)
    expect(page.locator("#tile-drift .figure")).to_have_text("calm")
    for _ in range(2):  # the words change their labels with each example
        learn(server, model, *[(SPAM, "ham"), (SPAM, "spam")] * 400)
    alarms = server.get(f"/v1/models/{model}")["alarms"]
    expect(page.locator("#tile-drift .figure")).to_have_text(f"at {alarms[-1]['example']:,}")
    expect(page.locator("#progress path.alarms")).to_have_count(len(alarms))
    expect(page.locator(f"#models a[href='#{model}'] .warning")).to_be_visible()
    rows = page.locator("#shadows tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_contain_text('{"rule":"pa"}')
    expect(rows.nth(1)).to_have_attribute("title", "of 2,600 examples")
    server.post(f"/v1/models/{model}/rollback", {"version": 1000})
    expect(page.locator("#history")).to_contain_text("#2,601rolled back")
    expect(page.locator("#tile-drift .figure")).to_have_text("calm")


def test_the_list_leads_from_model_to_model(server, model, visit):
    other = f"{model[:50]}.other"
    server.post("/v1/models", {"name": other}, status=201)
    learn(server, other, (HAM, "ham"))
    page = visit(model)
    expect(page.locator("#models a[aria-current]")).to_contain_text(model)
    page.locator(f"#models a[href='#{other}']").click()
    expect(page.locator("#model-name")).to_have_text(other)
    expect(page.locator("#tile-mistakes")).to_contain_text("of 1 example")
    server.ask("DELETE", f"/v1/models/{other}")
    expect(page.locator("#model-name")).not_to_have_text(other)
    expect(page.locator(f"#models a[href='#{other}']")).to_have_count(0)


@pytest.mark.parametrize("features", ["text", "names", "dense"])
def test_rows_of_every_kind_are_shown_and_corrected(server, model, visit, features):
    rows = {"text": ["a", "b"], "names": [{"a": 1}, {"b": 2}], "dense": [[1.0, 0], [0, 2.0]]}
    learn(server, model, *zip(rows[features], ["x", "y"], strict=True))
    page = visit(model)
    page.get_by_role("button", name="Correct version 2: it is x").click()
    expect(page.locator("#recent")).to_contain_text("version 3")
    assert server.get(f"/v1/models/{model}/versions/3")["features"] == rows[features][1]


def test_a_model_that_overflowed_says_so(server, model, visit):
    name = f"{model}-lms"
    server.post("/v1/models", {"name": name, "config": {"rule": "lms"}}, status=201)
    page = visit(name)
    expect(page.locator("#fault")).to_be_hidden()
    rows = [{"features": {"a": 1e3}, "label": "xy"[j % 2]} for j in range(60)]
    answer = server.post(f"/v1/models/{name}/learn", rows, status=409)
    version = int(re.search(r"at version (\d+)", answer["error"])[1])
    expect(page.locator("#fault")).to_contain_text(f"range at version {version}: erase")
    assert server.get(f"/v1/models/{name}")["overflow"] == version
    server.ask("DELETE", f"/v1/models/{name}/versions/{version}")
    expect(page.locator("#fault")).to_contain_text(f"range at version {version + 1}: erase")
    server.post(f"/v1/models/{name}/rollback", {"version": version - 1})
    expect(page.locator("#fault")).to_be_hidden()
