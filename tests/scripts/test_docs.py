"""What the pages say in words is so: their links lead somewhere, nothing in them is taken for HTML, and the README's sentences on
the results hold in the rows that the repository keeps."""
import re
import unittest

import support

PAGES = sorted([*support.ROOT.glob("*.md"), *support.ROOT.glob("docs/*.md"), support.ROOT / "results" / "paper" / "README.md"])


def prose(page):
    """Without code, fenced or in a line, and comments."""
    text = page.read_text(encoding="utf-8")
    return re.sub(r"^ *```.*?^ *```$|<!--.*?-->|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE)


class Pages(unittest.TestCase):
    def test_links_to_files_lead_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#:]+)[^):]*\)", prose(page)):
                self.assertTrue((page.parent / target).exists(), f"{page.name} links to {target}")

    def test_no_word_is_taken_for_html(self):
        for page in PAGES:
            self.assertEqual(re.findall(r"</?[a-zA-Z][^>\n]*>", prose(page)), [], page.name)


@support.needs_plots
class ReadmeFacts(unittest.TestCase):
    """The sentences of README.md and docs/audit.md that rank methods."""

    @classmethod
    def setUpClass(cls):
        import audit_docs
        from maskplots import results, side_by_side
        cls.rows = results.read_results(audit_docs.KEPT)
        cls.means = side_by_side.means(cls.rows)
        cls.leads = staticmethod(side_by_side.leads)

    def below(self, reading, rival):
        lead = self.leads(self.means[reading], rival)
        self.assertGreaterEqual(len(lead), 36)
        return all(x < 0 for x in lead)

    def test_masked_is_above_local_noise_as_the_paper_reads_budgets(self):
        self.assertTrue(all(x > 0 for x in self.leads(self.means["paper"], "xgb-ldp")))

    def test_like_for_like_it_is_below(self):
        self.assertTrue(self.below("message", "xgb-ldp"))
        self.assertTrue(self.below("message", "label-rr"))

    def test_at_every_budget_of_the_figure_it_is_below_random_split_and_label_rr(self):
        for reading in ("paper", "message"):
            self.assertTrue(self.below(reading, "random-split"))
            self.assertTrue(self.below(reading, "label-rr"))

    def test_pp_reads_over_99_percent_of_the_labels(self):
        points = [p for p in self.rows.of_config("fig-label-attack").finals("attack_balanced_accuracy")
                  if p.run.attack == "label-subspace"]
        self.assertEqual({p.run.dataset for p in points}, {"credit1", "adult", "higgs", "bank", "credit2", "nomao"})
        self.assertGreater(min(p.value for p in points), 0.99)


if __name__ == "__main__":
    unittest.main()
