#!/usr/bin/python3
"""CONTRIBUTING.md can be followed to the letter: its files and changes, made in a copy, compile; its config and its figure work;
what it names is there.

usage: contributing_test.py COMPILER MASKBENCH [TEST...]
"""
import fnmatch
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

# A file, the line below which (or, with a minus, before which) the text's line goes, and how that line begins in the text.
CHANGES = [
    ("baselines/methods.hpp", "const Method& paillier_method();", "const Method& label_flips_method();"),
    ("harness/judge/catalog.cpp", "      opboost_method(),", "label_flips_method(),"),
    ("tests/baselines/conformance_test.cpp", "testing::Values(Case{", 'Case{"label_flips", label_flips_method}'),
    ("tests/baselines/conformance_test.cpp", "testing::Values(KeyCase{", 'KeyCase{"label_flips", label_flips_method, true}'),
    ("attacks/attacks.hpp", "AttackResult leaf(const AttackInput& input);", "AttackResult label_sign(const AttackInput& input);"),
    ("harness/judge/catalog.cpp", '      {{"none", "no attack", ""}, nullptr, Party::pp, {}},', '{{"label-sign", '),
    ("tests/attacks/label_test.cpp", "-TEST(Leaf, learns_from_totals_alone) {", "TEST(LabelSign, "),
    ("harness/data/synthetic.cpp", "shapes = {", '{"heart", 918'),
    ("harness/judge/catalog.cpp", '      {"nomao", "UCI Nomao"},', '{"heart", "UCI Heart Disease"},'),
]
# Made by whoever follows the text.
MADE = {"baselines/label_flips.cpp", "attacks/label_sign.cpp", "configs/fig-bytes.yaml", "scripts/maskplots/fig_bytes.py"}


def blocks(kind):
    """The text's blocks of code of one kind, without their indent."""
    found = re.findall(r"^( *)```(\w*)\n(.*?)^\1```$", TEXT, re.S | re.M)
    return [textwrap.dedent(body) for _, own, body in found if own == kind]


def wanted(start):
    """What the text gives that begins so: a block, or a piece of a line."""
    for body in blocks(""):
        if body.startswith(start):
            return body.rstrip("\n")
    found = re.search(rf"`({re.escape(start)}[^`]*)`", TEXT)
    if not found:
        sys.exit(f"CONTRIBUTING.md no longer has: {start}")
    return found.group(1)


def change(text, anchor, line, where):
    before, anchor = anchor.startswith("-"), anchor.removeprefix("-")
    if text.count(anchor) != 1:
        sys.exit(f"{where}: {text.count(anchor)} places where CONTRIBUTING.md wants a line to go: {anchor}")
    if "Values(" in anchor:  # the first of a list
        kind = anchor.split("(")[1]
        return text.replace(anchor, anchor.replace(kind, f"{line}, {kind}"))
    return text.replace(anchor, f"{line}\n{anchor}" if before else f"{anchor}\n{line}")


class Followed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.copy = pathlib.Path(cls.temporary.name)

    def write(self, name, text):
        path = self.copy / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def test_sources_and_changes_compile(self):
        method, attack = blocks("cpp")
        self.write("baselines/label_flips.cpp", method)
        self.write("attacks/label_sign.cpp", attack)
        texts = {name: (ROOT / name).read_text() for name, _, _ in CHANGES}
        for name, anchor, start in CHANGES:
            texts[name] = change(texts[name], anchor, wanted(start), name)
        for name, text in texts.items():
            self.write(name, text)
        for path in sorted(self.copy.rglob("*.cpp")):
            done = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{self.copy}",
                                   f"-I{ROOT}", "-isystem", "/usr/include/eigen3", str(path)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_config_has_as_many_runs_as_it_says(self):
        config, = blocks("yaml")
        path = self.write("configs/fig-bytes.yaml", config)
        shown = subprocess.run([MASKBENCH, "show", path], capture_output=True, text=True, check=True).stdout
        runs = re.search(r"(\d+) runs", config).group(1)
        self.assertRegex(shown.splitlines()[-1], rf"^{runs} runs, about ")

    def test_the_figure_is_drawn_and_its_test_passes(self):
        module, test = blocks("python")
        sys.path[:0] = [str(ROOT / "tests" / "scripts")]
        import support
        if not support.have("matplotlib"):
            self.skipTest("no matplotlib here: apt-get install python3-matplotlib")
        import test_figures
        from maskplots import catalog
        spec = importlib.util.spec_from_file_location("maskplots.fig_bytes", self.write("fig_bytes.py", module))
        fig_bytes = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(fig_bytes)
        name, builder = re.search(r'`"(fig-bytes)": fig_bytes\.(\w+),`', TEXT).groups()
        catalog.BUILDERS[name] = getattr(fig_bytes, builder)
        exec(test, vars(test_figures))
        result = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromTestCase(test_figures.Bytes).run(result)
        self.assertEqual((result.testsRun, result.errors + result.failures), (1, []))


class Named(unittest.TestCase):
    def test_files_and_folders_are_there(self):
        rooms = re.findall(r"^\| `([a-z/]+)/`", TEXT, re.M)
        names = set(re.findall(r"`([\w./-]+/[\w./-]*\w)`", TEXT)) | set(re.findall(r"\]\(([\w./-]+)\)", TEXT))
        self.assertGreater(len(names), 40)
        for name in names - MADE:
            places = [name, *(f"{room}/{name}" for room in [*rooms, "harness"])]
            self.assertTrue(any((ROOT / place).exists() for place in places), name)

    def test_each_filter_finds_tests(self):
        sources = [path.read_text() for path in (ROOT / "tests").rglob("*.cpp")] + blocks("")
        suites = {(kind, suite) for text in sources for kind, suite in re.findall(r"^TEST(_P|_F|)\((\w+), ", text, re.M)}
        cases = set(re.findall(r'Case\{"(\w+)"', TEXT))
        patterns = [p for words in re.findall(r"--gtest_filter='(.*?)'", TEXT) for p in words.split(":")]
        self.assertGreater(len(patterns), 3)
        for pattern in patterns:
            names = [f"Some/{suite}.test/{case}" if kind == "_P" else f"{suite}.test"
                     for kind, suite in suites for case in cases]
            self.assertTrue(fnmatch.filter(names, pattern), f"no test for {pattern}")

    def test_suites_of_tests_are_there(self):
        sources = "".join(path.read_text() for path in (ROOT / "tests").rglob("*.cpp"))
        for suite in ("Conformance", "Repeatable", "Priced", "Spent", "ExchangeReference"):
            self.assertIn(f"`{suite}`", TEXT)
            self.assertRegex(sources, rf"TEST(_P|_F|)\({suite}, ")


if __name__ == "__main__":
    COMPILER, MASKBENCH = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1]+sys.argv[3:])
