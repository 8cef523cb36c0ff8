import gzip
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support
from fake_results import Fake, write_csv
from maskplots import results
from maskplots.schema import NUMBER_COLUMNS, RUN_COLUMNS

HEADER, RUNS_HEADER = ",".join(NUMBER_COLUMNS), ",".join(RUN_COLUMNS)


def row(columns=NUMBER_COLUMNS, **cells):
    return ",".join(str(cells.get(name, "")) for name in columns)


class Reading(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "results.csv"
        self.runs = self.path.with_name("runs.csv")
        self.addCleanup(self.folder.cleanup)

    def complaint(self, content, runs=f"{RUNS_HEADER}\n{row(RUN_COLUMNS, run='r1', status='ok')}\n"):
        for path, text in ((self.path, content), (self.runs, runs)):
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with self.assertRaises(results.BadResults) as caught:
            results.read_results(self.path)
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)

    def complaint_of_runs(self, content):
        return self.complaint(HEADER + "\n", content)

    def test_bad_files_are_named_with_line_and_reason(self):
        for complaint, header, name in ((self.complaint, HEADER, "results"), (self.complaint_of_runs, RUNS_HEADER, "runs")):
            self.assertIn(f"{name}.csv:1: is empty", complaint(""))
            self.assertIn("no column", complaint("a,b\n1,2\n"))
            self.assertIn(f"{name}.csv:2: 3 cells", complaint(f"{header}\na,b,c\n"))
            self.assertIn("not UTF-8", complaint(header.encode() + b"\n\xff\xfe\n"))
            self.assertIn("--resume", complaint(f'{header}\n"torn'))
            columns = header.split(",")
            self.assertIn("status is 'fine'", complaint(f"{header}\n{row(columns, run='r1', status='fine')}\n"))
        self.assertIn("value is 'abc'", self.complaint(f"{HEADER}\n{row(run='r1', status='ok', value='abc')}\n"))
        self.assertIn("eps_ap is 'x'", self.complaint_of_runs(f"{RUNS_HEADER}\n{row(RUN_COLUMNS, status='ok', eps_ap='x')}\n"))
        self.assertIn("run 'r2' is not in runs.csv; if the run was killed",
                      self.complaint(f"{HEADER}\n{row(run='r2', status='ok', value=1)}\n"))

    def test_hostile_cells_are_refused(self):
        def complaint(**cells):
            return self.complaint(f"{HEADER}\n{row(**{'run': 'r1', 'status': 'ok', 'value': 1, **cells})}\n")

        def of_runs(**cells):
            return self.complaint_of_runs(f"{RUNS_HEADER}\n{row(RUN_COLUMNS, **{'status': 'ok', **cells})}\n")
        for text in ("nan", "inf", "1e400", "-1", "1.5", "99999999999999"):
            self.assertIn(f":2: column round is '{text}'", complaint(round=text))
        for name in ("/abs", "../..", "..", ".hidden", "=HYPERLINK(1)", "a b", "-x"):
            self.assertIn(f":2: column config is '{name}', not a name", of_runs(config=name))
        self.assertIn("column dataset is '=1+1'", of_runs(dataset="=1+1"))
        for text in ("\x1b[31m", "a\x07b", "\x9b1m"):
            self.assertIn("control character", complaint(reason=text))
            self.assertIn("control character", of_runs(reason=text))

    def test_a_run_of_two_configs_has_its_numbers_in_both(self):
        fake = Fake()
        run = fake.run("c", "local")
        fake.metric(run, "test_auc", 0.8)
        fake.write(self.path)
        write_csv(self.runs, RUN_COLUMNS, [run, {**run, "config": "d"}])
        read = results.read_results(self.path)
        self.assertEqual(read.configs, ["c", "d"])
        for config in ("c", "d"):
            self.assertEqual([p.value for p in read.of_config(config).finals("test_auc")], [0.8])

    def test_what_a_number_is_about_can_be_asked_for(self):
        fake = Fake()
        run = fake.run("c", "masked", scope="message")
        for party, value in (("AP", 1), ("PP", 2)):
            fake.metric(run, "eps", value, party=party, view="stated", scope="training", delta="1e-05")
        read = support.results_of(fake)
        self.assertEqual([p.value for p in read.finals("eps", party="PP", view="stated", method="masked")], [2])
        self.assertEqual(len(read.finals("eps", scope=("training", "tree"))), 2)
        self.assertEqual(read.finals("eps", scope="message"), [])
        self.assertEqual(read.runs[0].scope, "message")

    def test_values_too_large_for_a_mean_are_in_none(self):
        fake = Fake()
        for value in (0.5, 1e308, -1e308, "inf"):
            fake.metric(fake.run("c", "local"), "test_auc", value)
        read = support.results_of(fake)
        self.assertEqual([p.value for p in read.finals("test_auc")], [0.5])
        self.assertEqual(len(read.unusable()), 3)

    def test_a_missing_file_says_how_to_make_it(self):
        with self.assertRaisesRegex(results.BadResults, "maskbench run"):
            results.read_results(self.path)
        with self.assertRaisesRegex(results.BadResults, "maskbench run"):
            results.find_results(self.folder.name)

    def test_packed_tables_are_found_where_there_are_no_others(self):
        fake = Fake()
        fake.metric(fake.run("c", "local"), "test_auc", 0.5)
        fake.write(self.path)
        for plain in (self.path, self.path.with_name("runs.csv")):
            plain.with_name(plain.name + ".gz").write_bytes(gzip.compress(plain.read_bytes()))
        self.assertEqual(results.find_results(self.folder.name), [self.path])
        self.path.unlink()
        found, = results.find_results(self.folder.name)
        self.assertEqual(found.name, "results.csv.gz")
        self.assertEqual([p.value for p in results.read_results(found).finals("test_auc")], [0.5])

    def test_quotes_commas_and_statuses(self):
        fake = Fake()
        run = fake.run("c", "masked", eps_ap=2, params={"train.rounds": 5, "data.ap_columns": '["a;b","c"]',
                                                         "train.max_depth": 6})
        fake.metric(run, "test_auc", 0.9)
        fake.metric(run, "test_auc", "", status="skip", reason='said "no", twice')
        fake.metric(run, "test_auc", "nan")
        fake.write(self.path)
        read = results.read_results(self.path)
        self.assertEqual([p.value for p in read.finals("test_auc")], [0.9])
        self.assertEqual([p.reason for p in read.unusable()], ['said "no", twice', ""])
        self.assertEqual(read.runs[0].eps_ap, 2.0)
        self.assertEqual(read.runs[0].params, (("data.ap_columns", '["a;b","c"]'), ("train.rounds", "5")))

    def test_merging_counts_a_row_once(self):
        fake = Fake()
        fake.metric(fake.run("c", "local"), "test_auc", 0.8)
        one = support.results_of(fake)
        self.assertEqual(len(results.merged([one, one])), 1)

    def test_runs_on_different_data_are_never_put_together(self):
        old, new = {"sha256": "ab" * 32}, {"sha256": "cd" * 32}
        for second in (new, {**new, "source": "synthetic"}):
            for method in ("local", "masked"):  # another repeat, or what it is compared with
                both, one, other = Fake(), Fake(), Fake()
                for fake, method_of, repeat, data in ((one, "local", 0, old), (other, method, 1, second)):
                    fake.metric(fake.run("c", method_of, repeat=repeat, **data), "test_auc", 0.8)
                both.rows = one.rows + other.rows
                both.write(self.path)
                complaint = self.complaint(self.path.read_bytes(), self.runs.read_bytes())
                self.assertIn("c has runs of adult on different data (file abababab and ", complaint)
                self.assertIn(" cdcdcdcd)", complaint)
                with self.assertRaisesRegex(results.BadResults, "together: c has runs of adult on different data"):
                    results.merged([support.results_of(one), support.results_of(other)])

    def test_the_same_run_on_different_data_is_not_taken_for_one(self):
        parts = []
        for data in ("ab" * 32, "cd" * 32):
            fake = Fake()
            fake.metric({**fake.run("c", "local"), "sha256": data, "run": "0123456789abcdef"}, "test_auc", 0.8)
            parts.append(support.results_of(fake))
        with self.assertRaisesRegex(results.BadResults, "different data"):
            results.merged(parts)

    def test_data_that_were_asked_to_differ_and_failed_runs_are_fine(self):
        fake = Fake()
        fake.metric(fake.run("c", "local"), "test_auc", 0.8)
        fake.metric(fake.run("d", "local", source="synthetic", sha256="cd" * 32), "test_auc", 0.8)
        fake.metric(fake.run("c", "local", params="data.source=synthetic", sha256="ef" * 32), "test_auc", 0.8)
        fake.failed(fake.run("c", "masked", source="", sha256=""), "no")
        self.assertEqual(len(support.results_of(fake)), 4)

    def test_the_scripts_end_with_one_line_and_1(self):
        Fake().write(self.path)
        self.path.write_text("a,b\n")
        for script in ("figures.py", "report.py"):
            arguments = ["all", "--results", self.folder.name] if script == "figures.py" else [self.folder.name]
            done = subprocess.run([sys.executable, support.ROOT / "scripts" / script, *arguments],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            self.assertIn("results.csv:1", done.stderr)


if __name__ == "__main__":
    unittest.main()
