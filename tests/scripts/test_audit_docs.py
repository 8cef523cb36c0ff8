import tempfile
import unittest
import unittest.mock
from pathlib import Path

import support
from fake_results import Fake


@support.needs_plots
class AuditDocs(unittest.TestCase):
    def test_the_pages_say_what_the_kept_rows_say(self):
        import audit_docs
        for path, (old, new) in audit_docs.pages().items():
            self.assertEqual(new, old, f"{path}: scripts/audit_docs.py write")

    def test_other_rows_make_another_table(self):
        import audit_docs
        with tempfile.TemporaryDirectory() as folder:
            def table(bound):
                fake = Fake()
                run = fake.run("tab-transcript", "label-rr", attack="transcript")
                for name, view, value in (("eps", "", bound), ("claim", "wire", 1.0), ("claim", "stated", 1.0)):
                    fake.metric(run, f"transcript_{name}", value, party="AP", view=view, reason="AP labels; hits 1")
                return audit_docs.parts(fake.write(Path(folder) / "results.csv"))["transcripts"]
            self.assertIn("| label-rr | AP | 0.70 | 1 | 1 | AP labels |", table(0.7))
            self.assertNotEqual(table(0.7), table(0.8))

    def test_verdicts_come_from_the_rows_and_claims_without_rows_say_so(self):
        import audit_docs
        with tempfile.TemporaryDirectory() as folder:
            def table(auc):
                fake = Fake()
                for repeat in range(5):
                    for method, value in (("masked", auc), ("xgb-ldp", 0.7), ("label-rr", 0.9)):
                        fake.metric(fake.run("fig-utility", method, repeat=repeat, eps_ap=1,
                                             reading="paper"), "test_auc", value)
                return audit_docs.parts(fake.write(Path(folder) / "results.csv"))
            above, below = table(0.8), table(0.6)
            self.assertIn("masked is above in 1 of 1 cells", above["verdicts"])
            self.assertIn("masked is above in 0 of 1 cells", below["verdicts"])
            self.assertRegex(above["verdicts"], r"\| E1: [^|]*\| no data \| no rows are kept here \| - \|")
            self.assertRegex(above["side by side"], r"\| paper \| \w+ \| - \| - \| - \| .800 \| - \| .900 \| .700 \| - \|")

    def test_what_masked_had_on_adult_is_kept_of_that_config_alone_and_tabled_by_budget(self):
        import audit_docs
        with tempfile.TemporaryDirectory() as folder:
            fake = Fake()
            for config, eps, share in (("fig-utility", 1, 0.25), ("fig-utility", 1, 0.75), ("fig-utility", 8, 1), ("gbdt", 1, 0)):
                run = fake.run(config, "masked", eps_ap=eps, repeat=len(fake.rows))
                fake.metric(run, "true_argmax_share", share)
            fake.metric(fake.run("fig-utility", "local"), "test_auc", 0.875)
            path = fake.write(Path(folder) / "results.csv")
            _, numbers = audit_docs.taken_from(path)
            self.assertEqual(sorted(float(row["value"]) for row in numbers), [0.25, 0.75, 0.875, 1])
            table = audit_docs.parts(path)["measured"]
            self.assertIn("| eps_AP | 1 | 8 |", table)
            self.assertRegex(table, r"PP's noisy choice is the best one \| 0.500 \| 1.000 \|")
            self.assertRegex(table, r"test AUC of local[^|]*\| 0.875 \| 0.875 \|")  # has no budget

    def test_of_the_rounds_three_numbers_are_kept(self):
        import audit_docs
        with tempfile.TemporaryDirectory() as folder:
            fake = Fake()
            run = fake.run("fig-utility", "masked")
            for at, value in enumerate((0.5, 0.7, 0.8, 0.7, 0.8, 0.9)):
                fake.metric(run, "test_auc", value, at)
            fake.metric(run, "test_auc", 0.9)
            _, numbers = audit_docs.taken_from(fake.write(Path(folder) / "results.csv"))
            kept = {row["metric"]: float(row["value"]) for row in numbers}
            self.assertEqual(kept.keys(), {"test_auc", "test_auc_first", "test_auc_half_way", "test_auc_roughness"})
            self.assertEqual((kept["test_auc_first"], kept["test_auc_half_way"]), (0.5, 0.7))
            self.assertAlmostEqual(kept["test_auc_roughness"], 0.0)

    def test_keeping_replaces_the_rows_of_the_same_configs_and_shares_numbers(self):
        import audit_docs
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.object(audit_docs, "KEPT", Path(folder) / "results.csv.gz"):
            def kept(name, *cells):
                fake = Fake()
                for config, value in cells:
                    run = {**fake.run("same", "local"), "config": config, "run": f"r{value}"}
                    fake.metric(run, "test_auc", value / 10)
                audit_docs.keep([fake.write(Path(folder) / name / "results.csv")])
                read = audit_docs.results.read_results(audit_docs.KEPT)
                return sorted((p.run.config, p.value) for p in read.finals("test_auc"))
            self.assertEqual(kept("one", ("a", 1), ("b", 2)), [("a", 0.1), ("b", 0.2)])
            self.assertEqual(kept("two", ("b", 3), ("c", 1)), [("a", 0.1), ("b", 0.3), ("c", 0.1)])
            self.assertEqual(len(audit_docs.rows_of(audit_docs.KEPT)), 2)  # r1 of a and c once, r3

    def test_keeping_some_runs_of_a_config_keeps_its_others(self):
        import audit_docs
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.object(audit_docs, "KEPT", Path(folder) / "results.csv.gz"):
            def kept(name, more, *methods):
                fake = Fake()
                for method in methods:
                    run = {**fake.run("c", method), "run": f"{method}-{name}"}  # another file gives another name
                    fake.metric(run, "test_auc", 0.5 + more)
                audit_docs.keep([fake.write(Path(folder) / name / "results.csv")])
                return {p.run.method: p.value for p in audit_docs.results.read_results(audit_docs.KEPT).finals("test_auc")}
            self.assertEqual(kept("one", 0, "local", "masked", "smm"), {"local": 0.5, "masked": 0.5, "smm": 0.5})
            self.assertEqual(kept("two", 0.25, "masked"), {"local": 0.5, "masked": 0.75, "smm": 0.5})
            self.assertEqual(len(audit_docs.rows_of(audit_docs.KEPT)), 3)


if __name__ == "__main__":
    unittest.main()
