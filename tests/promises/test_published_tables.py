"""The published tables: their page, which is written part by part, and their picture."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot
import numpy as np
import pictures
import pytest
from tables import page, rule_map

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.mark.parametrize("module", [page, rule_map], ids=lambda m: m.__name__)
def test_doctests(module):
    assert doctest.testmod(module).failed == 0


RUN_WITH_MADE_TABLES = """
import sys, types
from pathlib import Path
import run_tables

run_tables.PAGE = Path(sys.argv[1])
run_tables.PICTURES = run_tables.PAGE.parent
texts = {"libol": "## LIBOL\\n\\nnew\\n", "sol": "", "tagging": "## Tagging\\n\\nnew, too"}
for name, text in texts.items():
    sys.modules[f"tables.{name}"] = types.SimpleNamespace(main=lambda text=text: text)
draw = lambda text, folder: Path(folder, "tagging.svg").write_text(text)
sys.modules["tables.tagging"].draw = draw
for names in sys.argv[2:]:
    before, sys.argv[1:] = run_tables.PAGE.read_text(), names.split()
    run_tables.main()
    assert (run_tables.PAGE.read_text() != before) == ("--write" in names)
"""


def test_the_page_of_tables_is_that_of_its_parts():
    text = page.PAGE.read_text("utf-8")
    parts = page.parts_of(text)
    assert page.page_of(parts) == text
    for name, part in parts.items():
        run = rf"## .+\n\n`python bench/run_tables\.py {name}`, \d{{4}}-\d\d-\d\d: .+\.\n\n"
        assert re.match(run, part)
    assert set(page.LONG) <= set(parts)
    with pytest.raises(ValueError, match="this part of the page names no table: '## Notes'"):
        page.parts_of(text + "\n## Notes\n\nWritten by hand.\n")


def test_the_summary_counts_the_cells_that_agree():
    summary = (page.PICTURES / "tables.md").read_text("utf-8")
    for name, source in (("sol", "SOL"), ("libol", "LIBOL"), ("li_long", "Li and Long")):
        part = page.parts_of(page.PAGE.read_text("utf-8"))[name]
        cells = re.findall(r"\| \**(agrees|yes|differs|no)\** (?=\|)", part.partition("| --- ")[2])
        agree = sum(cell in ("agrees", "yes") for cell in cells)
        assert re.search(rf"^\| {source}.* \| {agree} of {len(cells)} \|", summary, re.M)


def test_only_the_parts_that_are_named_and_measured_are_written(tmp_path):
    path, day = tmp_path / "tables.md", "2026-01-02"
    kept_parts = {
        name: page.signed(name, f"## {name}\n\nold\n", day, "a machine")
        for name in ("li_long", "libol", "sol")
    }
    path.write_text(page.page_of(kept_parts), encoding="utf-8")
    names = ["--write tagging sol libol", "libol", "--write li_ong"]
    command = [sys.executable, "-c", RUN_WITH_MADE_TABLES, path, *names]
    ran = subprocess.run(command, cwd=BENCH, capture_output=True, text=True)
    assert ran.returncode == 2, ran.stderr
    assert "sol: skipped, its data is absent." in ran.stderr
    assert "no table li_ong: there are sol, libol" in ran.stderr
    parts = page.parts_of(path.read_text("utf-8"))
    assert list(parts) == ["sol", "libol", "tagging", "li_long"]
    assert parts["sol"] == kept_parts["sol"]
    assert parts["li_long"] == kept_parts["li_long"]
    assert parts["libol"].endswith("\n\nnew")
    assert parts["libol"] in ran.stdout
    assert re.search(r"tagging`, (?!2026-01-02)\d{4}-\d\d-\d\d: .*numpy.*\.\n\nnew, too$",
                     parts["tagging"])  # fmt: skip
    assert (tmp_path / "tagging.svg").read_text() == parts["tagging"], "drawn of what was written"


LONG_TABLES_OF_MADE_ROWS = """
import numpy as np
from made import Split
from tables import freund_schapire, li_long

rng = np.random.default_rng(0)
X, y = rng.integers(0, 256, (120, 16)).astype(np.float32), rng.integers(0, 10, 120)
rows = Split(X[:100], y[:100], X[100:], y[100:])
freund_schapire.scanned = li_long.scanned = lambda: rows
freund_schapire.PIECES, freund_schapire.DEGREES = ((1, slice(None), 1), (2, slice(None), 1)), (1, 2)
li_long.PERMUTATIONS = 2
print(li_long.main(), freund_schapire.main(), sep="")
freund_schapire.scanned = li_long.scanned = lambda: None
assert li_long.main() == freund_schapire.main() == ""
"""


def test_the_long_tables_can_be_measured():
    command = [sys.executable, "-c", LONG_TABLES_OF_MADE_ROWS]
    ran = subprocess.run(command, cwd=BENCH, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    headings = [line for line in ran.stdout.splitlines() if line.startswith("## ")]
    written = page.parts_of(page.PAGE.read_text("utf-8"))
    assert headings == [written[name].partition("\n")[0] for name in page.LONG]
    assert ran.stdout.count("| vote |") == 2


ERRORS = rule_map.Errors(
    ["easy", "hard"], ["pa", "cw", "an average"], np.array([[0.5, 0.0, 4.0], [20.0, 10.9, 10.0]])
)
TEXT_OF_ERRORS = """
import sys
import numpy as np
from tables import rule_map, which_rule

values = np.array([[0.5, 0.0, 4.0], [20.0, 10.9, 10.0]])
errors = rule_map.Errors(["easy", "hard"], ["pa", "cw", "an average"], values)
print(which_rule.text_of(errors))
"""


def test_the_study_shows_its_picture_and_the_table_that_it_is_drawn_of(tmp_path):
    command = [sys.executable, "-c", TEXT_OF_ERRORS]
    ran = subprocess.run(command, cwd=BENCH, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "Least errors: cw on easy; an average on hard](../docs/which_rule.svg)" in ran.stdout
    assert "| hard | 20.00 | **10.90** | **10.00** |" in ran.stdout
    assert "| mean rank | 2.5 | 1.5 | 2.0 |" in ran.stdout
    read = rule_map.errors_of(ran.stdout)
    assert read[:2] == ERRORS[:2]
    np.testing.assert_array_equal(read.values, ERRORS.values)
    rule_map.save(ran.stdout, tmp_path)
    picture = (tmp_path / rule_map.NAME).read_bytes()
    rule_map.save(ran.stdout, tmp_path)
    assert (tmp_path / rule_map.NAME).read_bytes() == picture
    assert b"<svg" in picture


def luminance(colour):
    parts = np.array(matplotlib.colors.to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_the_picture_has_the_ratios_in_readable_letters():
    values = np.outer([1.0, 5.0], [1.0, 1.05, 1.11, 1.3, 2.0, 3.0, 9.0])
    errors = rule_map.Errors(["a", "b"], list("stuvwxy"), values)
    figure = rule_map.draw(errors)
    (axes,) = figure.axes
    mesh, shown = axes.collections[0], axes.texts[: values.size]
    figure.canvas.draw()
    assert [text.get_text() for text in shown] == [*map(rule_map.in_digits, values[0])] * 2
    for text, cell in zip(shown, mesh.get_facecolors(), strict=True):
        dark, light = sorted([luminance(text.get_color()), luminance(cell)])
        assert (light + 0.05) / (dark + 0.05) >= 4.5
    assert [label.get_text() for label in axes.get_xticklabels()] == errors.rules
    assert axes.get_title(loc="left") == "s is within a tenth of the least error on 2 of 2 sets"
    assert luminance(figure.get_facecolor()) == 1.0, "a white ground, also on a dark page"
    matplotlib.pyplot.close(figure)
    swapped = rule_map.Errors(["easy", "hard"], ["late", "first"], np.array([[2.0, 1], [3, 1]]))
    (axes,) = rule_map.draw(swapped).axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["first", "late"]
    matplotlib.pyplot.close("all")


def test_the_page_has_the_picture_of_its_table(monkeypatch, tmp_path):
    monkeypatch.setattr(pictures, "RULE_MAP", tmp_path / pictures.RULE_MAP.name)
    pictures.draw_rule_map()
    drawn, kept = pictures.RULE_MAP, pictures.HERE / rule_map.NAME
    assert drawn.name == rule_map.NAME
    shapes = [re.findall("<(path|use|g)", file.read_text("utf-8")) for file in (drawn, kept)]
    assert shapes[0] == shapes[1]
