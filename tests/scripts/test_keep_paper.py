import contextlib
import io
import shutil
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import fake_results
import support


def a_run(folder):
    """Results as `maskbench run` and `maskbench report --figures` leave them."""
    import figures
    import report
    fake = fake_results.Fake()
    for config in ("fig-utility", "fig-utility-message"):
        fake_results.utility(fake, config, repeats=1, rounds=3, datasets=("adult",), budgets=(1,))
    fake.write(folder / "results.csv")
    figures.main(["all", "--results", str(folder)])
    report.main([str(folder)])
    return fake


@support.needs_plots
class KeepPaper(unittest.TestCase):
    def setUp(self):
        import audit_docs
        import keep_paper
        self.keep = keep_paper
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(contextlib.redirect_stdout(io.StringIO()))
        docs = self.folder / "docs"
        docs.mkdir()
        for name in audit_docs.PAGES:
            shutil.copyfile(audit_docs.DOCS / name, docs / name)
        for module, name, value in ((audit_docs, "KEPT", self.folder / "kept" / "results.csv.gz"), (audit_docs, "DOCS", docs),
                                    (keep_paper, "KEPT", self.folder / "kept")):
            self.enterContext(unittest.mock.patch.object(module, name, value))

    def kept(self):
        return {str(p.relative_to(self.folder / "kept")) for p in (self.folder / "kept").rglob("*") if p.is_file()}

    def test_all_that_is_kept_comes_from_the_one_folder(self):
        import audit_docs
        a_run(self.folder / "run")
        (self.folder / "kept" / "figures").mkdir(parents=True)
        (self.folder / "kept" / "figures" / "of-an-older-run.png").touch()
        self.keep.main([str(self.folder / "run")])
        self.assertTrue({"results.csv.gz", "runs.csv.gz", "summary.csv.gz", "comparisons.csv.gz", "figures/fig-utility.png",
                         "figures/report.html.xz"} <= self.kept(), self.kept())
        self.assertNotIn("figures/of-an-older-run.png", self.kept())
        self.assertTrue((self.folder / "docs" / "fig-utility.png").is_file())
        self.assertIn("adult", audit_docs.parts()["verdicts"])
        for old, new in audit_docs.pages().values():
            self.assertEqual(old, new)
        small = (self.folder / "kept" / "figures" / "fig-utility.png").stat().st_size
        self.assertLess(small, (self.folder / "run" / "fig-utility.png").stat().st_size / 2)
        self.assertEqual({row["cpu"] for row in audit_docs.rows_of(self.folder / "kept" / "runs.csv.gz")}, {"Test CPU"})

    def test_a_folder_without_a_report_or_with_failed_runs_is_refused(self):
        fake = a_run(self.folder / "run")
        (self.folder / "run" / "report.html").unlink()
        with self.assertRaisesRegex(SystemExit, "has no report.html; maskbench report"):
            self.keep.main([str(self.folder / "run")])
        (self.folder / "run" / "report.html").touch()
        fake.failed(fake.run("gbdt", "masked"), "no memory")
        fake.write(self.folder / "run" / "results.csv")
        with self.assertRaisesRegex(SystemExit, "1 runs .* --retry"):
            self.keep.main([str(self.folder / "run")])
        self.assertFalse((self.folder / "kept").exists())


if __name__ == "__main__":
    unittest.main()
