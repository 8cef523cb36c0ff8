import contextlib
import html.parser
import io
import os
import tempfile
import unittest
from pathlib import Path

import fake_results
import support
from browser import Browser, find_browser

WIDTHS = (1280, 400)


# What ends right of the window: nothing may, but for what is inside a table, which scrolls in its box.
BEYOND = """[...document.querySelectorAll('main *')].filter(e => !e.closest('table') &&
  e.getBoundingClientRect().right > innerWidth + 1).map(e => e.className || e.tagName)"""


# A click shows a figure at its full size, which scrolls in its own box.
ZOOMED = """(() => {document.querySelector('figure input').click();
  return {wide: document.querySelector('figure img').getBoundingClientRect().width,
          page: document.documentElement.scrollWidth}})()"""


class Page(html.parser.HTMLParser):
    """Collects what a page refers to and checks that its tags are closed in order."""
    VOID = {"meta", "link", "img", "br", "input"}

    def __init__(self, content):
        super().__init__()
        self.open, self.images, self.references, self.problems, self.ids, self.tables = [], [], [], [], set(), 0
        self.feed(content)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag not in self.VOID:
            self.open.append(tag)
        self.tables += tag == "table"
        if "id" in values:
            self.problems += [f"id {values['id']} twice"] * (values["id"] in self.ids)
            self.ids.add(values["id"])
        if tag == "img":
            self.images.append(values)
        if tag == "script":
            self.problems.append("a script")
        self.references += [values[name] for name in ("src", "href") if name in values]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes something else")


@support.needs_plots
class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        folder = Path(cls.temporary.name)
        fake = fake_results.everything(2, datasets=("adult", "credit1"), budgets=(0.5, 8))
        hostile = fake.run("fig-utility", "masked", "adult", reading="<b>x</b>")
        fake.metric(hostile, "test_auc", "", status="skip", reason='<script>alert("x")</script> & more')
        for number in range(300):  # what the accountant says of every run
            run = fake.run("fig-utility", "masked", "adult", repeat=number)
            fake.metric(run, "eps", "inf", party="AP", view="wire", reason="the row sets are sent in clear")
            run = fake.run("fig-utility", "masked", "adult", repeat=number, attack="attribute-sums")
            fake.metric(run, "attack", "", status="skip", reason="masked sends no sums")
        fake.write(folder / "results.csv")
        import report
        with contextlib.redirect_stdout(io.StringIO()):
            report.main([str(folder)])
        cls.path = folder / "report.html"
        cls.content = cls.path.read_text(encoding="utf-8")
        cls.page = Page(cls.content)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_well_formed_without_scripts_and_escaped(self):
        self.assertEqual((self.page.problems, self.page.open), ([], []))
        self.assertIn("&lt;script&gt;alert", self.content)

    def test_refers_to_nothing_outside(self):
        outside = [r[:60] for r in self.page.references if not r.startswith(("data:", "#"))]
        self.assertEqual(outside, [])
        for anchor in (r[1:] for r in self.page.references if r.startswith("#")):
            self.assertIn(anchor, self.page.ids)

    def test_every_image_has_an_alternative_text(self):
        self.assertGreaterEqual(len(self.page.images), 11)
        for image in self.page.images:
            self.assertGreater(len(image["alt"]), 40)

    def test_says_verdicts_provenance_and_what_was_skipped(self):
        for text in ("only under a stated reading", "claim-T3", "0123abc", "Test CPU", "g++ 12.2.0", "ab" * 32,
                     "out of memory, &quot;really&quot;", "smm needs more candidates", "not a finite number",
                     "maskbench run configs/fig-utility.yaml", "not an equal comparison"):
            self.assertIn(text, self.content)

    def test_says_which_configs_have_synthetic_data(self):
        self.assertIn("Synthetic data: fig-scaling (higgs), quickstart (adult, bank). All else is real.", self.content)

    def test_expected_things_are_one_line_each_with_a_count(self):
        skipped = self.content.split('<section id="skipped">')[1].split("</section>")[0]
        self.assertIn("<summary>300 values of eps are infinite", skipped)
        self.assertIn("<summary>300 attacks found nothing to read", skipped)
        self.assertIn("1 run failed", skipped)
        self.assertLess(skipped.count("<tr>"), 12)
        row = self.content.split('<th scope="row">fig-utility</th>')[1].split("</tr>")[0]
        self.assertTrue(row.endswith("<td class=n>1</td><td class=n>3</td>"), row)  # failed runs, skipped values
        self.assertEqual(skipped.count("the row sets are sent in clear"), 1)

    def test_a_verdict_is_a_sentence_and_the_rest_is_folded(self):
        card = self.content.split('id="claim-U1"')[1].split("</article>")[0]
        shown, rest = card.split("<details>")
        self.assertLess(len(shown.split("</h3>")[1]), 300)
        self.assertIn("under the reading", shown)
        self.assertIn("cells", rest)
        self.assertIn("maskbench run configs/fig-utility.yaml", rest)

    def test_a_link_in_the_results_is_not_followed(self):
        import figures
        import report
        fake = fake_results.Fake()
        fake_results.quickstart(fake)
        source = fake.write(Path(self.temporary.name) / "linked" / "results.csv")
        precious = Path(self.temporary.name) / "precious.txt"
        precious.write_text("keep me")
        with contextlib.redirect_stdout(io.StringIO()):
            figures.main(["all", "--results", str(source.parent)])
            made = [path for path in source.parent.iterdir() if path.name not in ("runs.csv", "results.csv")]
            for path in [*made, source.parent / "report.html"]:
                path.unlink(missing_ok=True)
                path.symlink_to(precious)
            figures.main(["all", "--results", str(source.parent)])
            report.main([str(source.parent)])
        self.assertGreater(len(made), 4)
        self.assertEqual(precious.read_text(), "keep me")
        self.assertEqual([path.name for path in source.parent.iterdir() if path.is_symlink()], [])
        self.assertEqual([path.name for path in source.parent.iterdir() if path.name.startswith(".")], [])

    def test_is_the_same_every_time(self):
        import report
        fake = fake_results.Fake()
        fake_results.quickstart(fake)
        source = fake.write(Path(self.temporary.name) / "quickstart" / "results.csv")
        pages = []
        for name in ("one.html", "two.html"):
            with contextlib.redirect_stdout(io.StringIO()):
                report.main([str(source), "--out", str(source.parent / name)])
            pages.append((source.parent / name).read_text(encoding="utf-8"))
        self.assertEqual(*pages)

    @unittest.skipUnless(find_browser(), "no Chromium here: apt-get install chromium")
    def test_in_a_browser_at_desktop_and_phone_width(self):
        browser = Browser()
        self.addCleanup(browser.close)
        for width in WIDTHS:
            browser.open(self.path.as_uri(), width)
            self.assertEqual(browser.evaluate("innerWidth"), width)
            self.assertEqual(browser.complaints(), [])
            self.assertEqual(browser.evaluate("[...document.images].filter(i => !i.naturalWidth).length"), 0)
            self.assertEqual(browser.evaluate("document.images.length"), len(self.page.images))
            self.assertLessEqual(browser.evaluate("document.documentElement.scrollWidth"), width)
            self.assertEqual(browser.evaluate(BEYOND), [])
            browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
            self.assertLessEqual(browser.evaluate("document.documentElement.scrollWidth"), width)
            self.assertEqual(browser.evaluate(BEYOND), [])
            sizes = browser.evaluate(ZOOMED)
            self.assertGreaterEqual(sizes["wide"], 960)
            self.assertLessEqual(sizes["page"], width)
            if os.environ.get("MASKBENCH_SCREENSHOTS"):
                browser.screenshot(Path(os.environ["MASKBENCH_SCREENSHOTS"]) / f"report-{width}.png")


@unittest.skipUnless(find_browser(), "no Chromium here: apt-get install chromium")
class BrokenPage(unittest.TestCase):
    def test_the_browser_test_can_fail(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "broken.html"
            path.write_text('<main><div style="width:900px">wide</div><img src="missing.png" alt="x">'
                            "<script>throw new Error('x')</script></main>")
            browser = Browser()
            self.addCleanup(browser.close)
            browser.open(path.as_uri(), 390)
            self.assertTrue(browser.complaints())
            self.assertEqual(browser.evaluate("[...document.images].filter(i => !i.naturalWidth).length"), 1)
            self.assertGreater(browser.evaluate("document.documentElement.scrollWidth"), 390)


if __name__ == "__main__":
    unittest.main()
