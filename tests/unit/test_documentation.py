"""What the README lists is what there is."""

from __future__ import annotations

import re
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest

from infra.settings import Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def listed(heading: str) -> set[str]:
    """The names in the first column of the table below a heading."""
    section = re.split(r"\n## ", README.split(f"\n## {heading}\n")[1])[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def test_every_make_verb_is_listed_and_exists() -> None:
    verbs = set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)) - {"help"}

    assert listed("Two commands") == {f"make {verb}" for verb in verbs}


def test_every_context_setting_is_listed_and_exists() -> None:
    assert listed("Deploy to an account") == {field.name for field in fields(Settings)}


def test_every_function_is_named_with_its_job() -> None:
    modules = {path.stem for path in (ROOT / "functions" / "handlers").glob("*.py")} - {"__init__"}
    functions = README.split("\nThe functions: ")[1].split("\n\n")[0]

    assert set(re.findall(r"`([a-z_]+)`\s\(", functions)) == modules


def test_every_folder_in_the_tree_exists() -> None:
    tree = README.split("## Where things are")[1].split("```")[1]
    named = re.findall(r"^(?:  )?([a-z]+)/ ", tree, re.MULTILINE)
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert {"infra", "functions", "handlers", "edge", "switchboard", "local", "tests", "docs"} <= set(named)
    for name in named:
        assert re.search(rf"(^|/){name}/", tracked, re.MULTILINE), name


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "docs/decisions.md"])
def test_every_file_that_a_page_names_exists(name: str) -> None:
    page = (ROOT / name).read_text()
    paths = re.findall(r"`((?:functions|infra|local|tests|docs)/[\w./]+\.\w+)`", page)

    assert [path for path in paths if not (ROOT / path).exists()] == []
