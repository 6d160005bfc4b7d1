"""Strangers: hostile names and labels are text, tokens are asked for, a lost service is told."""

from hashlib import sha256

import pytest
from browser import settle
from playwright.sync_api import expect
from serving import Served

IMAGE = "<img src=x onerror=\"document.title='broken'; alert(1)\">"
SCRIPT = "</td><script>alert(2)</script><svg onload=alert(3)>"
TOKEN = "correct-horse-battery"


def test_labels_and_names_that_are_html_are_text(server, model, visit):
    words = {"features": {IMAGE: 1.0, SCRIPT: SCRIPT}, "label": IMAGE}
    rows = [words, {"features": {"b": 1.0}, "label": SCRIPT}, {"features": {"c": 1}, "label": "c"}]
    server.post(f"/v1/models/{model}/learn", rows * 3)
    page = visit(model)
    expect(page.locator("#confusion tbody th", has_text=IMAGE)).to_have_count(1)
    expect(page.locator("#recent .chip", has_text=SCRIPT)).to_have_count(3)
    expect(page.locator("#features .name", has_text=IMAGE).first).to_be_visible()
    page.get_by_role("button", name=f"Correct version 9: it is {IMAGE}").click()
    expect(page.locator("#recent")).to_contain_text(f"learned as “{IMAGE}” · version 10")
    assert server.get(f"/v1/models/{model}/versions/10")["label"] == IMAGE
    settle(page)
    assert page.locator("img, td script, #panel script").count() == 0
    assert page.title().startswith(model)


def test_long_labels_and_names_do_not_widen_the_page(server, model, visit):
    row = {"features": {"n" * 900: 1.0}, "label": "l" * 900}
    server.post(f"/v1/models/{model}/learn", [row, {"features": "m" * 900, "label": "k" * 900}] * 2)
    for size in ((1280, 800), (390, 844)):
        page = visit(model, size=size)
        expect(page.locator("#recent li")).to_have_count(4)
        assert page.evaluate("document.documentElement.scrollWidth") == size[0]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A service that asks for tokens, with a model of two examples, "m"."""
    folder = tmp_path_factory.mktemp("guarded")
    hashed = {
        name: sha256(f"secret-of-{name}".encode()).hexdigest() for name in ("predict", "learn")
    }
    lines = (f"only-{s} {s} sha256:{own}\n" for s, own in hashed.items())
    (folder / "tokens").write_text("".join(lines))
    env = {"ROSENBLATT_TOKEN": TOKEN}
    with Served(folder / "store", "--tokens", str(folder / "tokens"), env=env) as served:
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        served.raw("POST", "/v1/models", b'{"name": "m"}', bearer)
        rows = b'[{"features": "a", "label": "x"}, {"features": "b", "label": "y"}]'
        served.raw("POST", "/v1/models/m/learn", rows, bearer)
        yield served


def test_a_token_of_few_scopes_is_told_so_and_shown_less(guarded, visit):
    page = visit("m", served=guarded)
    page.locator("#token").fill("secret-of-learn")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text(
        "this needs the scope 'predict': the token 'only-learn' has learn."
    )
    page.locator("#token").fill("secret-of-predict")
    page.keyboard.press("Enter")
    expect(page.locator("#tile-mistakes")).to_contain_text("of 2 examples")
    expect(page.locator("#recent")).to_contain_text("shown to a token with the scope admin")
    expect(page.get_by_role("button", name="Correct")).to_have_count(0)
    page.messages.clear()  # the browser's own words of 401 and 403


def test_a_token_is_asked_for_and_kept_in_the_tab(guarded, visit):
    page = visit("m", served=guarded)
    page.get_by_label("Token", exact=True).nth(1).fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("The service does not know this token.")
    assert page.evaluate("sessionStorage.length") == 0
    page.locator("#token").fill(TOKEN)
    page.get_by_role("button", name="Open").click()
    expect(page.locator("#tile-mistakes")).to_contain_text("of 2 examples")
    assert page.evaluate("[sessionStorage.length, localStorage.length, document.cookie]") == [
        1, 0, "",
    ]  # fmt: skip
    page.get_by_role("button", name="Correct version 2: it is x").click()
    expect(page.locator("#recent")).to_contain_text("version 3")
    page.reload()
    expect(page.locator("#tile-mistakes")).to_contain_text("of 3 examples")
    page.get_by_role("button", name="Forget the token").click()
    expect(page.locator("#token")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0
    refusals = [text for text in page.messages if "401" in text]  # the browser's own words
    assert page.messages == refusals
    page.messages.clear()


def test_an_empty_service_says_how_to_begin_and_one_that_comes_back_is_followed(tmp_path, visit):
    with Served(tmp_path) as served:
        page = visit(served=served)
        expect(page.locator("#empty")).to_contain_text(f"curl http://127.0.0.1:{served.port}/v1")
        served.post("/v1/models", {"name": "first"}, status=201)
        expect(page.locator("#model-name")).to_have_text("first")
        expect(page.locator("#status")).to_have_text("live")
        served.stop()
        expect(page.locator("#status")).to_have_text("waiting for the service")
    with Served(tmp_path, "--port", str(served.port)) as again:
        again.post("/v1/models/first/learn", {"features": "a", "label": "x"})
        expect(page.locator("#status")).to_have_text("live")
        expect(page.locator("#tile-mistakes")).to_contain_text("of 1 example")
        page.goto("about:blank")
        assert all("ERR_" in text for text in page.messages)  # the browser's own words
        page.messages.clear()


def test_a_replica_shows_and_corrects_nothing(server, model, visit):
    server.post(f"/v1/models/{model}/learn", [{"features": "a", "label": x} for x in "xy"])
    with Served(server.store, "--replica") as replica:
        page = visit(model, served=replica)
        expect(page.locator("#tile-mistakes")).to_contain_text("of 2 examples")
        assert page.locator(".correct button").count() == 0
        page.goto("about:blank")


def test_everything_comes_from_the_service(server, model, visit):
    page = visit()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("about:blank")
    page.goto(f"http://127.0.0.1:{server.port}/#{model}")
    expect(page.locator("#tiles")).to_be_visible()
    own = f"http://127.0.0.1:{server.port}/"
    assert [url for url in asked if not url.startswith((own, "data:"))] == []
