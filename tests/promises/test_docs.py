"""The pages: lecture rows are complete, public names are listed, code blocks print their output."""

import contextlib
import doctest
import importlib.util
import io
import os
import re
import shlex
import subprocess
from functools import cache
from types import ModuleType

import click
import links
import options
import pytest
import registries
import rows
from click.testing import CliRunner

import rosenblatt
from rosenblatt import plots
from rosenblatt.cli import main

LENGTHS = {"L0": 8, "L1": 6, "L2": 15, "L3": 11, "L4": 9}
NUMBERS = [f"{lecture}.{row + 1}" for lecture, count in LENGTHS.items() for row in range(count)]
kept = cache(rows.tests)


def test_the_rows_are_the_lectures():
    assert list(rows.ROWS) == NUMBERS
    assert list(rows.LECTURES) == list(LENGTHS)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_row_has_a_statement_and_a_test_of_its_number(number):
    assert rows.ROWS[number].statement.endswith(".")
    assert kept()[number], f"no test's name carries {number.replace('.', '_')}"


@pytest.mark.parametrize("number", NUMBERS)
def test_the_code_of_a_row_can_be_imported(number):
    assert rows.ROWS[number].code
    for name in rows.ROWS[number].code:
        assert named(name) is not None


@pytest.mark.parametrize("number", NUMBERS)
def test_the_figures_of_a_row_are_scripts(number):
    assert rows.ROWS[number].gallery
    for script in rows.ROWS[number].gallery:
        assert rows.title(script)


def test_the_changes_of_adding_things_apply():
    page = (rows.HERE / "adding-things.md").read_text("utf-8")
    changes = "".join(re.findall(r"^```diff\n(.*?)^```", page, re.M | re.S)).encode()
    check = ["git", "apply", "--check"]
    done = subprocess.run(check, input=changes, cwd=rows.ROOT, capture_output=True)
    assert changes.count(b"\n+++ ") > 10
    assert done.returncode == 0, done.stderr.decode()


def test_a_number_is_read_from_a_tests_name():
    assert rows.NUMBER.findall("test_L2_9_and_L2_10_agree") == ["L2_9", "L2_10"]
    assert rows.NUMBER.findall("test_L2_1") == ["L2_1"]
    assert rows.NUMBER.findall("test_XL2_1_and_nothing_else") == []


def test_the_gallery_follows_the_lectures():
    scripts = ["plot_xor.py", "plot_unknown.py", "plot_one_step.py", "plot_rings.py"]
    assert sorted(scripts, key=rows.position) == [scripts[k] for k in (2, 3, 0, 1)]


def test_every_public_name_is_on_the_page():
    page = set(re.findall(r"^   (\w+)$", reference(), re.M))
    front = {name: getattr(rosenblatt, name) for name in rosenblatt.__all__}
    modules = [plots, *(value for value in front.values() if isinstance(value, ModuleType))]
    names = {name for name, value in front.items() if value not in modules} - {"__version__"}
    names.update(*(getattr(module, "__all__", ()) for module in modules))
    assert names <= page, f"docs/reference lacks {sorted(names - page)}"


def test_every_listed_name_can_be_imported():
    module, lost = "", []
    for line in reference().splitlines():
        if line.startswith((".. currentmodule:: ", ".. automodule:: ")):
            module = line.split()[-1]
        elif re.fullmatch(r"   \w+", line) and not hasattr(named(module), line.strip()):
            lost.append(f"{module}.{line.strip()}")
    assert not lost


def reference():
    """The lists of public names, by group."""
    pages = {path: path.read_text("utf-8") for path in (rows.HERE / "reference").glob("*.rst")}
    return "".join((pages | {registries.PAGE: registries.reference()}).values())


def test_the_pages_of_rules_and_kernels_name_all_of_them():
    parts = {mark for page in PAGES for mark in registries.MARK.findall(page.read_text("utf-8"))}
    assert parts == registries.PARTS.keys()
    page = registries.filled((rows.HERE / "howto" / "rules.md").read_text("utf-8"))
    assert all(f'`"{name}"`' in page for name in rosenblatt.rules.NAMES)
    assert '| `"pa1"` | where y s < 1 | y (1 − y s)/‖x‖², at most C |' in page
    assert r"A = Σ \|g x\|" in page, "| in a cell would end it"
    page = registries.filled((rows.HERE / "howto" / "kernels.md").read_text("utf-8"))
    assert '| `"rbf"` | exp(−γ‖x − x\'‖²) | `gamma` |' in page
    assert '| `"forgetron"` | Shrink w, then' in page


def test_the_page_of_probabilities_names_the_rules_that_have_them():
    page = (rows.HERE / "howto" / "probabilities.md").read_text("utf-8")
    listed = page.split("learn log odds")[0]
    odds = [rule.name for rule in rosenblatt.rules.DECLARATIONS.values() if rule.log_odds]
    assert [name for name in odds if f"`{name}`" not in listed] == []


def test_the_docstring_of_the_perceptron_names_every_rule():
    text = rosenblatt.Perceptron.__doc__
    assert [name for name in rosenblatt.rules.NAMES if f'"{name}"' not in text] == []


def test_every_group_of_names_is_on_the_page():
    written = {registries.PAGE.stem}
    groups = written | {path.stem for path in (rows.HERE / "reference").glob("*.rst")}
    page = (rows.HERE / "api.rst").read_text("utf-8")
    assert groups == set(re.findall(r"^   reference/(\w+)$", page, re.M))
    assert groups == set(re.findall(r"<reference/(\w+)>", page))


def test_every_option_of_every_command_is_on_the_page():
    sections = dict(re.findall(r"^## (\w+)$(.*?)(?=^## |\Z)", options.page(), re.M | re.S))
    assert tuple(sections) == main.COMMANDS
    for name, context in options.commands().items():
        for item in context.command.get_params(context):
            if isinstance(item, click.Option) and not item.hidden:
                assert all(word in sections[name] for word in [*item.opts, *item.secondary_opts])
                assert options.plain(item.help) in sections[name]
    assert "Sentinel" not in options.page()


PAGES = [
    rows.ROOT / "README.md",
    *(page for folder in (".", "howto", "streams") for page in (rows.HERE / folder).glob("*.md")),
]
INSTALLATION = ("make ", "pip ")  # blocks that begin so are not run
HAS_RIVER = importlib.util.find_spec("river") is not None
BLOCK = re.compile(  # what needs files or clusters of the reader is in blocks of "shell", or "py"
    r"^```(python|sh)\n(.*?)^```$(?:\s+^```text\n(.*?)^```$)?",  # a block, and what it prints
    re.M | re.S,
)
FILE = re.compile(r"`(\S+\.\w+)`:\n\n```\w+\n(.*?)^```$", re.M | re.S)  # a file that a page shows
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize(
    "page",
    sorted(page for page in PAGES if BLOCK.search(page.read_text("utf-8"))),
    ids=lambda page: page.stem,
)
def test_the_blocks_of_a_page_run_and_print_the_output_that_follows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    if page.stem != "README":  # its reader begins in an empty folder
        (tmp_path / "mail.svm").write_text("+1 1:1 3:0.5\n-1 2:1\n" * 50)
    text, names = page.read_text("utf-8"), {"__name__": "page"}
    for file, content in FILE.findall(text):
        (tmp_path / file).write_text(content)
    for kind, code, expected in BLOCK.findall(text):
        if kind == "python" and (HAS_RIVER or "# needs river" not in code):
            printed = output_of_python(code, names)
        elif kind == "sh" and not code.startswith(INSTALLATION):
            printed = "".join(map(output_of_line, code.splitlines()))
        else:
            continue
        if expected:
            same = doctest.OutputChecker().check_output(stable(expected), stable(printed), FLAGS)
            assert same, f"{code}prints\n{printed}"


def test_a_source_that_a_docstring_cites_is_in_the_bibliography():
    pages = [
        (rows.HERE / f"{name}.md").read_text("utf-8") for name in ("bibliography", "separability")
    ]
    entries = re.findall(r"^- .*", "\n".join(pages), re.M)
    source = " ".join(
        " ".join(path.read_text("utf-8").split()) for path in (rows.ROOT / "src").rglob("*.py")
    )
    cited = re.findall(r"([A-Z][a-zà-ý]{2,})(?:'s)?(?: et al\.)?,? \(?((?:18|19|20)\d\d)\b", source)
    lost = {
        pair
        for pair in cited
        if not any(pair[0] in entry and pair[1] in entry for entry in entries)
    }
    assert len(cited) > 60
    assert not lost


@pytest.mark.parametrize(
    "file",
    [
        "CITATION.cff",
        "deploy/kubernetes.yaml",
        "docs/cite.md",
        "docs/howto/kubernetes.md",
        "docs/streams/models.md",
        "pyproject.toml",
    ],
)
def test_files_have_the_version_and_no_other(file):
    text = (rows.ROOT / file).read_text("utf-8")
    named = re.findall(
        r"(?:^version: |[Vv]ersion(?: = [{\"]| )|rosenblatt[: ])(\d+\.\d+\.\d+)", text, re.M
    )
    assert named
    assert set(named) == {rosenblatt.__version__}


def test_the_options_beside_flags_of_vowpal_wabbit_exist():
    page = (rows.HERE / "howto" / "from-vowpal-wabbit.md").read_text("utf-8")
    cells = re.findall(r"^\| `-.* \| (.*) \|$", page, re.M)
    named = set(re.findall(r"(?<![\w-])--?[a-z][a-z0-9-]*", " ".join(cells)))
    context = click.Context(main.command)
    commands = [main.command.get_command(context, name) for name in main.COMMANDS]
    options = {o for command in commands for p in command.params for o in p.opts}
    assert {"--bits", "--interactions", "--epochs"} <= named <= options


def output_of_python(code, names):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "block", "exec"), names)
    return printed.getvalue()


def output_of_line(line):
    """Run one line of a shell: the command in this process, which is faster, others in a shell."""
    given, earlier = b"", ""
    for part in line.replace(" > ", " | cat > ").split(" | "):
        words = shlex.split(os.path.expandvars(part), comments=True)
        if words[0] == "rosenblatt":
            ran = CliRunner().invoke(main.command, words[1:], given, prog_name="rosenblatt")
            status, given, errors, output = ran.exit_code, ran.stdout_bytes, ran.stderr, ran.output
        else:
            ran = subprocess.run(["sh", "-c", part], input=given, capture_output=True)
            status, given, errors = ran.returncode, ran.stdout, ran.stderr.decode()
            output = given.decode() + errors
        assert status == 0, f"{line}\n{output}"
        output, earlier = earlier + output, earlier + errors
    return output


def stable(output):
    """Blank out times, sizes and rates, which differ from run to run."""
    output = re.sub(r", compile (under )?[\d.,]+ (s|ms|min [\d]+ s)", "", output)
    output = re.sub(r"(under )?[\d.,]+ (s|ms|kB|MB)\b", "#", output)
    return re.sub(r"% +(?:[\d,]+ +)?([\d,]+ +[\d.,]+) *$", r"% \1", output, flags=re.M)


def named(name):
    """The object of a dotted name: modules first, then their attributes."""
    module, *rest = name.split(".")
    found = importlib.import_module(module)
    for part in rest:
        module += f".{part}"
        found = getattr(found, part, None) or importlib.import_module(module)
    return found


BUILT = {"lectures.md", "gallery/index.rst"}  # pages that the front page lists
LINK = re.compile(r"(?<!`)\]\(([^)#:\s]+)(?:#[^)\s]*)?\)")
MADE = {"lectures.md", "options.md", "gallery", "_build"}  # by `make docs`
SOURCES = [
    path
    for path in [*rows.ROOT.glob("*.md"), *rows.HERE.rglob("*.md")]
    if MADE.isdisjoint(path.relative_to(rows.ROOT).parts)
]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(rows.ROOT)))
def test_links_lead_to_files_of_the_checkout(path):
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    targets = set(LINK.findall(text))
    if path == rows.HERE / "index.md":
        targets -= BUILT
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_links_of_the_site_lead_to_built_pages():
    assert doctest.testmod(links).failed == 0
    front = (rows.HERE / "index.md").read_text(encoding="utf-8")
    assert set(LINK.findall(front)) >= BUILT
