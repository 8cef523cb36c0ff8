import tempfile
import unittest
from pathlib import Path

import support
from fake_results import Fake


@support.needs_plots
class AuditDocs(unittest.TestCase):
    def test_the_page_says_what_the_kept_rows_say(self):
        import audit_docs
        page = audit_docs.PAGE.read_text(encoding="utf-8")
        self.assertEqual(audit_docs.filled(page, audit_docs.parts()), page, "scripts/audit_docs.py write")

    def test_other_rows_make_another_table(self):
        import audit_docs
        with tempfile.TemporaryDirectory() as folder:
            def table(bound):
                fake = Fake()
                run = fake.run("tab-transcript", "label-rr", attack="transcript")
                for name, value in (("eps", bound), ("claim", 1.0), ("stated", 1.0)):
                    fake.metric(run, f"transcript_{name}_ap", value, reason="AP labels; hits 1")
                return audit_docs.parts(fake.write(Path(folder) / "results.csv"))["transcripts"]
            self.assertIn("| label-rr | AP | 0.70 | 1 | 1 | AP labels |", table(0.7))
            self.assertNotEqual(table(0.7), table(0.8))


if __name__ == "__main__":
    unittest.main()
