import contextlib
import hashlib
import io
import re
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

import fake_results
import support
from fake_results import Fake

FIGURES = {  # file: what its SVG must name
    "fig-utility": ("masked", "xgb-ldp", "fedxgb-ldp", "federboost", "label-rr", "nonprivate", "local", "adult"),
    "fig-utility-equal": ("masked", "xgb-ldp"),
    "fig-convergence-adult": ("masked", "federboost", "round"),
    "tab-efficiency-plot": ("paillier (2048 bits)", "masked", "the paper's"),
    "fig-scaling": ("masked", "features"),
    "fig-label-attack": ("label-nn, the paper's attack", "label-subspace", "the paper's .51", "a coin: .5"),
    "fig-label-attack-attack-auc": ("label-nn, the paper's attack", "a coin: .5"),
    "fig-attribute-attack": ("attribute-minsum, the paper's attack", "attribute-likelihood", "the paper's .52"),
    "fig-ablation-adult": ("masked", "local"),
    "fig-delta-pp": ("as printed", "tight, both directions"),
    "gbdt": ("masked", "masked (gbdt=true)"),
    "quickstart": ("masked", "nonprivate", "local", "bank"),
}
TABLES = ("tab-efficiency", "tab-communication", "tab-communication-kinds", "tab-deviation", "quickstart",
          "fig-label-attack-table", "fig-attribute-attack-table", "tab-attacks")


def draw(folder, name="all", *more):
    import figures
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        figures.main([name, "--results", str(folder), *more])
    return said.getvalue()


@support.needs_plots
class AllFigures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        fake = fake_results.everything(2, datasets=("adult", "credit1"), budgets=(0.5, 8))
        fake.write(cls.folder / "results.csv")
        cls.said = draw(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_every_figure_in_three_formats_with_its_names(self):
        for name, words in FIGURES.items():
            for kind, start in (("pdf", b"%PDF"), ("png", b"\x89PNG"), ("svg", b"<?xml")):
                content = (self.folder / f"{name}.{kind}").read_bytes()
                self.assertGreater(len(content), 5000, name)
                self.assertTrue(content.startswith(start), name)
            svg = (self.folder / f"{name}.svg").read_text()
            xml.fromstring(svg)
            texts = re.findall(r"<!-- (.*?) -->", svg)
            for word in words:
                self.assertTrue([t for t in texts if t.endswith(word)], f"{name}.svg has no text '{word}'")

    def test_captions_name_whiskers_and_reading(self):
        caption = (self.folder / "fig-utility.caption.txt").read_text()
        self.assertIn("whisker: one standard deviation", caption)  # of two repeats
        self.assertIn("reading 'paper'", caption)
        self.assertIn("label-rr: for the whole training", caption)
        self.assertIn("Not an equal comparison", caption)
        self.assertNotIn("Not an equal", (self.folder / "fig-utility-equal.caption.txt").read_text())

    def test_every_figure_and_table_says_its_scale(self):
        captions = {p.name: p.read_text() for p in self.folder.glob("*.caption.txt")}
        tables = {p.name: p.read_text() for p in self.folder.glob("*.md")}
        self.assertGreater(len(captions), 10)
        self.assertGreater(len(tables), 7)
        for name, text in (captions | tables).items():
            self.assertRegex(text, r"(Real|Synthetic) data · .* rows? · .* rounds? · .* repeats? · ", name)
        for name in captions:  # in the picture too
            svg = (self.folder / name.replace(".caption.txt", ".svg")).read_text()
            self.assertRegex(svg, "<!-- (Real|Synthetic) data · ", name)
        self.assertIn("Synthetic data · all rows · 60 rounds · 2 repeats · reading paper", captions["quickstart.caption.txt"])

    def test_tables_in_markdown_and_latex(self):
        for name in TABLES:
            lines = [line for line in (self.folder / f"{name}.md").read_text().splitlines() if line.startswith("|")]
            self.assertGreater(len(lines), 2, name)
            self.assertEqual(len({line.count("|") for line in lines}), 1, name)
            latex = (self.folder / f"{name}.tex").read_text()
            self.assertIn("\\bottomrule", latex)
            self.assertNotRegex(latex.split("\\toprule")[1], r"(?<!\\)[%_#]")

    def test_efficiency_table_holds_our_mean_and_the_papers(self):
        table = (self.folder / "tab-efficiency.md").read_text()
        self.assertIn("| paillier, paper | 25.22 | 7.43 |", table)
        self.assertIn("| paillier / masked, paper | 6.38× | 4.82× |", table)

    def test_output_does_not_depend_on_the_run(self):
        def digests():
            return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in self.folder.glob("quickstart.*")}
        before = digests()
        draw(self.folder, "quickstart")
        self.assertEqual(len(before), 6)
        self.assertEqual(before, digests())


@support.needs_plots
class Trouble(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def test_every_builder_skips_with_a_reason_when_its_metric_is_missing(self):
        from maskplots import catalog
        fake = Fake()
        for config in catalog.BUILDERS:
            fake.metric(fake.run(config, "nonprivate"), "peak_rss", 1.0)
        fake.failed(fake.run("broken", "masked"), "no")
        fake.write(self.folder / "results.csv")
        said = draw(self.folder)
        for config in [*catalog.BUILDERS, "broken"]:
            if config != "fig-scaling":  # automatic: takes any metric
                self.assertIn(f"{config}: skipped: ", said)
        self.assertFalse(list(self.folder.glob("fig-utility*.png")))

    def test_one_repeat_missing_methods_and_empty_panels(self):
        fake = Fake()
        fake_results.utility(fake, repeats=1, datasets=("adult",), budgets=(1,))
        fake.rows = [r for r in fake.rows if r[0]["method"] not in ("xgb-ldp", "local")]
        run = fake.run("fig-label-attack", "masked", attack="label-nn")
        fake.metric(run, "attack_accuracy", 0.5)
        fake.write(self.folder / "results.csv")
        said = draw(self.folder)
        self.assertTrue((self.folder / "fig-utility.png").exists())
        caption = (self.folder / "fig-utility.caption.txt").read_text()
        self.assertNotIn("whisker", caption)
        self.assertIn(" · 1 repeat · ", caption)
        self.assertIn("eps_AP and delta_AP have one value only", said)
        self.assertFalse((self.folder / "fig-label-attack.png").exists())

    def test_an_axis_is_found_even_if_one_value_is_the_default(self):
        """train.max_depth = 6 is the default, yet belongs on the axis."""
        fake = Fake()
        for depth in (3, 6, 9):
            params = "" if depth == 6 else f"train.max_depth={depth}"
            fake.metric(fake.run("mine", "masked", params=params), "test_auc", 0.8 + depth / 100)
        from maskplots import series
        read = support.results_of(fake)
        self.assertEqual(series.first_numeric_axis(read.runs), "train.max_depth")
        line, = series.lines(read.finals("test_auc"), "train.max_depth")
        self.assertEqual(line.xs, [3, 6, 9])
        self.assertEqual([round(m, 2) for m in line.means], [0.83, 0.86, 0.89])

    def test_one_figure_for_each_reading(self):
        fake = Fake()
        for reading in ("paper", "equal"):
            fake_results.utility(fake, repeats=1, reading=reading, datasets=("adult",), budgets=(1, 8))
        fake.write(self.folder / "results.csv")
        draw(self.folder, "fig-utility")
        self.assertTrue((self.folder / "fig-utility.png").exists())
        self.assertTrue((self.folder / "fig-utility-equal.png").exists())

    def test_folders_below_and_out(self):
        fake = Fake()
        fake_results.quickstart(fake)
        fake.write(self.folder / "quickstart" / "results.csv")
        draw(self.folder, "quickstart")
        self.assertTrue((self.folder / "quickstart" / "quickstart.svg").exists())
        draw(self.folder, "quickstart", "--out", str(self.folder / "elsewhere"))
        self.assertTrue((self.folder / "elsewhere" / "summary.csv").exists())
        with self.assertRaisesRegex(SystemExit, "no results of 'nothing'.*quickstart"):
            draw(self.folder, "nothing")


@support.needs_plots
class Asked(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)
        fake = Fake()
        for depth in (2, 6):
            for rounds in (5, 10, 20):
                for method in ("masked", "my-own"):
                    params = f"train.rounds={rounds}" + (f";train.max_depth={depth}" if depth != 6 else "")
                    run = fake.run("mine", method, params=params)
                    fake.metric(run, "test_logloss", 1 / rounds + depth / 100)
                    fake.metric(run, "test_auc", 0.5)
        fake.write(self.folder / "results.csv")

    def test_any_metric_over_any_key_with_a_panel_for_each_value_of_another(self):
        draw(self.folder, "mine", "--metric", "test_logloss", "--x", "train.rounds", "--facet", "train.max_depth")
        svg = (self.folder / "mine-test_logloss-over-train.rounds-by-train.max_depth.svg").read_text()
        texts = re.findall(r"<!-- (.*?) -->", svg)
        for text in ("adult, max depth = 2", "adult, max depth = 6", "test logloss", "rounds", "masked", "my-own"):
            self.assertIn(text, texts)
        self.assertFalse((self.folder / "mine.svg").exists())

    def test_a_key_alone_is_enough(self):
        draw(self.folder, "mine", "--x", "train.max_depth")
        self.assertIn("Test AUC over train.max_depth", (self.folder / "mine-test_auc-over-train.max_depth.caption.txt").read_text())

    def test_numbers_of_one_run_that_differ_in_what_they_are_about_are_not_mixed(self):
        fake = Fake()
        for eps in (1, 8):
            run = fake.run("mine", "masked", eps_ap=eps)
            for party, delta in (("AP", "0.001"), ("PP", "0.01")):  # delta follows from the party
                fake.metric(run, "eps", eps, party=party, view="stated", delta=delta)
        fake.write(self.folder / "results.csv")
        draw(self.folder, "mine", "--metric", "eps", "--x", "eps_ap")
        texts = re.findall(r"<!-- (.*?) -->", (self.folder / "mine-eps-over-eps_ap.svg").read_text())
        self.assertEqual([t for t in texts if t.startswith("adult")], ["adult, AP", "adult, PP"])

    def test_what_is_not_there_is_named(self):
        for words, said in ((("--metric", "nonsense"), "no metric 'nonsense'; there are: test_auc, test_logloss"),
                            (("--x", "nonsense"), "no key 'nonsense'.*train.max_depth"),
                            (("--x", "dataset"), "dataset has no numbers")):
            with self.assertRaisesRegex(SystemExit, said):
                draw(self.folder, "mine", *words)


@support.needs_plots
class Facets(unittest.TestCase):
    """Every column in which runs differ can be drawn as panels."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def titles(self, fake, *words):
        """Of the panels, and the texts that stand with them."""
        fake.write(self.folder / "results.csv")
        draw(self.folder, "mine", *words)
        svg, = self.folder.glob("*.svg")
        self.texts = re.findall(r"<!-- (.*?) -->", svg.read_text())
        self.caption = next(self.folder.glob("*.caption.txt")).read_text()
        return [text for text in self.texts if text.startswith("adult")]

    def test_attacks_and_the_runs_without_one(self):
        fake = Fake()
        for attack in ("none", "label-nn", "label-subspace"):
            for eps in (1, 8):
                fake.metric(fake.run("mine", "masked", eps_ap=eps, attack=attack), "test_auc", 0.8)
        self.assertEqual(self.titles(fake, "--facet", "attack"),
                         ["adult, attack = label-nn", "adult, attack = label-subspace", "adult, attack = none"])

    def test_methods_and_columns_that_follow_from_others(self):
        for key, values in (("method", ("masked", "xgb-ldp")), ("scope", ("message", "tree"))):
            fake = Fake()
            for method in ("masked", "xgb-ldp"):
                for eps in (1, 8):
                    fake.metric(fake.run("mine", method, eps_ap=eps), "test_auc", 0.8)
            for old in self.folder.glob("mine*"):
                old.unlink()
            self.assertEqual(self.titles(fake, "--facet", key), [f"adult, {key} = {value}" for value in values])

    def test_a_key_of_the_config_stands_for_its_column(self):
        fake = Fake()
        for W in (1, 4):
            for eps in (1, 8):
                fake.metric(fake.run("mine", "masked", eps_ap=eps, W=W), "test_auc", 0.8)
        titles = self.titles(fake, "--x", "privacy.eps_ap", "--facet", "privacy.W")
        self.assertEqual(titles, ["adult, W = 1", "adult, W = 4"])
        self.assertIn("masked", self.texts)  # without its budget: that is on the axis

    def test_a_text_at_its_default_has_a_panel_and_methods_without_one_are_in_all(self):
        from maskplots import fig_auto
        fake = Fake()
        for params in ("", "noise.generator=aes"):
            fake.metric(fake.run("mine", "masked", params=params), "test_auc", 0.8)
        fake.metric(fake.run("mine", "nonprivate"), "test_auc", 0.9)
        panels = fig_auto._panels(support.results_of(fake).finals("test_auc"), "noise.generator")
        self.assertEqual([(title, sorted(p.run.method for p in here)) for title, here in panels],
                         [("adult, generator = aes", ["masked", "nonprivate"]),
                          ("adult, generator = philox", ["masked", "nonprivate"])])

    def test_readings_are_panels_of_one_figure(self):
        fake = Fake()
        for reading in ("paper", "equal"):
            for eps in (1, 8):
                fake.metric(fake.run("mine", "masked", eps_ap=eps, reading=reading), "test_auc", 0.8)
        self.assertEqual(self.titles(fake, "--facet", "reading"), ["adult, reading = equal", "adult, reading = paper"])

    def test_repeats_that_stand_apart_are_no_mean(self):
        fake = Fake()
        for repeat in (0, 1):
            fake.metric(fake.run("mine", "masked", repeat=repeat), "test_auc", 0.8)
        self.assertEqual(len(self.titles(fake, "--facet", "seed")), 2)
        self.assertIn("Each repeat by itself", self.caption)

    def test_what_all_runs_have_alike_is_refused_with_what_there_is(self):
        fake = Fake()
        for eps in (1, 8):
            fake.metric(fake.run("mine", "masked", eps_ap=eps), "test_auc", 0.8)
        fake.metric(fake.run("mine", "nonprivate"), "test_auc", 0.9)
        for words in (("--x", "privacy.W"), ("--facet", "train.max_depth"), ("--facet", "reading")):
            with self.assertRaisesRegex(SystemExit, f"no key '{words[1].replace('privacy.', '')}' that its runs differ in; "
                                                    "there are: dataset, method, backend, eps_ap$"):
                self.titles(fake, *words)


@support.needs_plots
class Readme(unittest.TestCase):
    def test_the_figure_is_small_and_wants_both_readings(self):
        with tempfile.TemporaryDirectory() as folder:
            fake = Fake()
            fake_results.utility(fake, repeats=1)
            fake.write(Path(folder) / "results.csv")
            with self.assertRaisesRegex(SystemExit, "needs test_auc of local .* fig-utility-message"):
                draw(folder, "readme")
            fake_results.utility(fake, "fig-utility-message", repeats=1, reading="message")
            fake.write(Path(folder) / "results.csv")
            draw(folder, "readme", "--out", f"{folder}/docs")
            picture = Path(folder) / "docs" / "fig-utility.png"
            self.assertLess(picture.stat().st_size, 150_000)
            width = int.from_bytes(picture.read_bytes()[16:20], "big")
            self.assertGreaterEqual(width, 1600)  # twice the 800 at which it is read


if __name__ == "__main__":
    unittest.main()
