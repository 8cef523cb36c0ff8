import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support
from fake_results import Fake

HOSTILE = ("\0", "\x1b[31m", "\u202e")


class Terminal(unittest.TestCase):
    def test_hidden_characters_are_written_out(self):
        from maskplots.terminal import one_line
        self.assertEqual(one_line("a\0b\x1b[31m\u202ec\nd\te"), "a\\x00b\\x1b[31m\\u202ec d e")
        self.assertEqual(one_line(b"a\xff".decode("utf-8", "surrogateescape")), "a\\xff")
        self.assertEqual(one_line("Größe ≤ 3 ± 1"), "Größe ≤ 3 ± 1")

    def test_it_agrees_with_the_program(self):
        """The ranges of is_hidden, read from its source."""
        from maskplots.terminal import HIDDEN
        text = (support.ROOT / "harness/base/text.cpp").read_text(encoding="utf-8")
        body = text.split("bool is_hidden")[1].split("\n}")[0]
        ranges = [(int(a, 16), int(b, 16)) for a, b in re.findall(r"within\(0x(\w+), 0x(\w+)\)", body)]
        ranges += [(int(a, 16), int(a, 16)) for a in re.findall(r"point == 0x(\w+)", body)]
        ranges += [(0, int(a, 16) - 1) for a in re.findall(r"point < 0x(\w+)", body)]
        self.assertGreater(len(ranges), 5)
        for point in [*range(0xd800), *range(0xe000, 0x11000)]:
            self.assertEqual(bool(HIDDEN.match(chr(point))), any(a <= point <= b for a, b in ranges), hex(point))

    def ended(self, script, *arguments):
        done = subprocess.run([sys.executable, support.ROOT / "scripts" / script, *map(str, arguments)], capture_output=True)
        said = (done.stdout + done.stderr).decode("utf-8")
        hidden = [c for c in said if not (c.isprintable() or c == "\n")]
        self.assertEqual(hidden, [], said)
        return said

    @support.needs_plots
    def test_a_strange_status_does_not_reach_the_terminal(self):
        with tempfile.TemporaryDirectory() as folder:
            for table in ("results.csv", "runs.csv"):
                for text in HOSTILE:
                    fake = Fake()
                    fake.metric(fake.run("c", "local"), "test_auc", 0.8)
                    path = fake.write(Path(folder) / "results.csv").with_name(table)
                    path.write_text(path.read_text(encoding="utf-8").replace("ok", f"o{text}k"), encoding="utf-8")
                    self.assertIn(f"{table}:2: ", self.ended("report.py", folder))

    @support.needs_plots
    def test_a_strange_folder_does_not_reach_the_terminal(self):
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root) / "a\x1b[31m\u202eb"
            fake = Fake()
            for repeat in range(2):
                for method in ("local", "masked"):
                    run = fake.run("c", method, repeat=repeat, eps_ap=1 + repeat, reading="p\u202eq")
                    fake.metric(run, "test_auc", 0.8, party="A\u202eP")
            fake.write(folder / "results.csv")
            self.assertIn("a\\x1b[31m\\u202eb", self.ended("figures.py", "all", "--results", folder))
            self.assertIn("a\\x1b[31m\\u202eb", self.ended("report.py", folder))
            self.assertIn("A\\u202eP", self.ended("compare.py", "masked", "local", "--results", folder))
            self.assertIn("a\\x1b[31m\\u202eb", self.ended("figures.py", "nonsense", "--results", folder))
            self.assertIn("a\\x1b[31m\\u202eb", self.ended("report.py", folder / "not there"))


if __name__ == "__main__":
    unittest.main()
