"""Which files a walk finds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from turnlint.source.walk import Found, walk


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(*names: str, text: str = "{}") -> None:
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def names(*paths: str, **options: object) -> list[str]:
    return [found.path.as_posix() for found in walk(map(Path, paths or (".",)), **options)]  # type: ignore[arg-type]


@pytest.mark.usefixtures("tree")
class TestWalk:
    def test_suffixes_and_order(self) -> None:
        put("b.json", "a/z.JSONL", "a/b.yaml.gz", "a.yml", "c.py", "README", "d.har.zst", "e.gz", ".hidden/x.traj")
        assert names() == [".hidden/x.traj", "a/b.yaml.gz", "a/z.JSONL", "a.yml", "b.json", "d.har.zst"]

    def test_what_is_named_is_handed_out_whatever_it_is(self) -> None:
        put("x.txt", "d/y.json")
        assert list(walk([Path("x.txt"), Path("no.json"), Path("d")])) == [
            Found(Path("x.txt"), named=True),
            Found(Path("no.json"), named=True, missing=True),
            Found(Path("d/y.json"), named=False),
        ]

    def test_every_file_once(self) -> None:
        put("d/x.json", "d/y.json")
        assert list(walk([Path("d"), Path("d/x.json"), Path("./d/x.json"), Path("d")])) == [
            Found(Path("d/y.json"), named=False),
            Found(Path("d/x.json"), named=True),
        ]

    def test_folders_of_tools_are_left_out(self) -> None:
        put(".git/x.json", "node_modules/x.json", "a/__pycache__/x.json", "env/pyvenv.cfg", "env/x.json", "a/x.json")
        assert names() == ["a/x.json"]
        assert names("env") == ["env/x.json"]

    def test_include(self) -> None:
        put("a/x.json", "a/y.txt", "b/x.json", "c.json", "b/d.jsonl")
        assert names(include=["/a/", "*.jsonl"]) == ["a/x.json", "b/d.jsonl"]
        assert names("c.json", "b", include=["/a/"]) == ["c.json"]
        assert names(include=["/a/", "*.jsonl"], exclude=["b/"]) == ["a/x.json"]

    def test_exclude(self) -> None:
        put("a/x.json", "a/y.json", "b/x.json", "c.json")
        assert names(exclude=["b/", "a/x.json"]) == ["a/y.json", "c.json"]
        assert names("a/x.json", exclude=["a"]) == ["a/x.json"]
        assert names("a/x.json", exclude=["a"], force_exclude=True) == []
        assert names("a", exclude=["x.json"], exclude_root=Path("a")) == ["a/y.json"]

    def test_gitignore(self) -> None:
        put(".git/HEAD")
        put(".gitignore", text="# comment\nout/\n*.jsonl\n!keep.jsonl\n/only-top.json\n")
        put("sub/.gitignore", text="!again.jsonl\n/local.json\n")
        put("out/x.json", "x.jsonl", "keep.jsonl", "only-top.json", "sub/only-top.json")
        put("sub/again.jsonl", "sub/local.json", "sub/out/x.json", "sub/deep/local.json")
        expected = ["keep.jsonl", "sub/again.jsonl", "sub/deep/local.json", "sub/only-top.json"]
        assert names() == expected
        assert names("sub") == expected[1:]
        assert names("out") == ["out/x.json"]
        assert len(names(respect_gitignore=False)) == 9

    def test_info_exclude(self) -> None:
        put(".git/info/exclude", text="secret.json\n")
        put("secret.json", "a/secret.json", "a/x.json")
        assert names() == ["a/x.json"]
        assert names("a") == ["a/x.json"]

    def test_ignore_files_outside_a_repository_count_only_downwards(self) -> None:
        put(".gitignore", text="x.json\n")
        put("a/x.json")
        assert names() == []
        assert names("a") == ["a/x.json"]

    def test_patterns_that_are_none_are_passed_over(self) -> None:
        put(".gitignore", text="!\n///\nx.json\n")
        put("x.json", "y.json")
        assert names() == ["y.json"]

    def test_links(self) -> None:
        put("real/x.json")
        Path("real/loop").symlink_to(Path("..").resolve(), target_is_directory=True)
        Path("link").symlink_to("real", target_is_directory=True)
        Path("file.json").symlink_to("real/x.json")
        Path("dead.json").symlink_to("nowhere")
        assert names() == ["file.json", "real/x.json"]
        assert names("link") == ["link/x.json"]

    @pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="the superuser may list everything")
    def test_a_folder_that_may_not_be_listed_is_handed_out(self) -> None:
        put("shut/x.json")
        Path("shut").chmod(0)
        try:
            assert names() == ["shut"]
        finally:
            Path("shut").chmod(0o700)

    def test_nothing_is_loaded_for_patterns_without_any(self) -> None:
        put("x.json")
        code = "import sys; from pathlib import Path; from turnlint.source.walk import walk; list(walk([Path('.')])); "
        code += "print('pathspec' in sys.modules)"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        result = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        assert result.stdout.strip() == "False"
