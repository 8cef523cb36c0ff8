"""The converters of scripts/fetch_data.py on tiny originals. Nothing is downloaded."""
import base64
import contextlib
import csv
import gzip
import io
import os
import tempfile
import unittest
import unittest.mock
import zipfile
import zlib

import support
import fetch_data

needs_xlrd = unittest.skipUnless(support.have("xlrd"), "xlrd is missing: apt-get install python3-xlrd")

# A two-row .xls with a second header row as UCI's has, written by xlwt.
SMALL_XLS = zlib.decompress(base64.b64decode(
    "eNrtWE1IFVEU/u7MvOcP/rxnz0ADeQhZmRsryI2+nljyQO1lUhKBjb4JQ50njwmyRZn2lkHQqqiF4KaN1aYfKqhd"
    "i8CoRRAEWstWQUILdTr3zIz5t/BBPTLmG+6Ze889595z55x77sy8mw3PTT2qnsc6tEDFsl2E4CqeoFLkNUKgftuW"
    "Ve9eSMX2sa1QVEiODAbwvPRtgfSh9Pc8FDzUXhMFvlA5i1F0pU0jmke0sg26kDY0C41iT8FdKmWoYrsqmA4w3cH0"
    "Acu+YHqEOTeYNpPsnDiD2VhXfZMbx71KLfeVERV4wjqfmNOISryRcXz1pnBkA4hnLujD/2ZHjVaCaZDn2g3TyOjD"
    "c4iQC6exYEeBH95efRX1+fnlCxD/51p+wSb8W4oGjMM+J2QgZlGCAk32aGjTLT1LAXo46GzLk8ZA2kwtIim9zYXC"
    "tbdRkgNEEm2UmTsSnYmevtZ4RwDojvckjlcDKeO8fnHYio7qYyOGaUVN45IVHUmb1iAJpa1BI1Ms0zqngdCaNFDK"
    "m6OEaArlXA/zFglRol+8//19Z38y1seccU79zgGxW64INq5JDVIug7Mej9azxn6mEzzqLq5XM41QYNO9LlnpVo5N"
    "ssx17q2jeQ4yPsT2rKrvpXr224mnNdmvsX1Un2mfvxyZ+RibQi0dWCnSl9ckGkSDuHNb4lnMuws3lXxmWrUhrRQq"
    "IbZdhe2eguVYQjGvNswMp6VQS7jygte6Vl7ynOfntKS2utKS2tpKS6VWwB1LWTfWS9QwL8w+CmOiSY5UTmeww1FZ"
    "S92gVcG8MNtK8gu2TfOQd1Sem3DqUPpe/IpSTBzVtbRFqcBjWaGE+hv5iBexQrdrvIgN8eL5jJ8qNnuqPnz48OHD"
    "hw8feYBwPiTcF0bwa2fQ/cCQ/3WWqCz7v0n+W3QjTZdFn6VHYdI9g7Gc4mcnAsIbS2xRx/tfKHGaZs9gCP1sx1DO"
    "8Usv42L1erasGPpzWyjX+ZdzsfMvz/8LpmcL0A=="))

ADULT = """39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, United-States, <=50K
52, ?, 209642, HS-grad, 9, Married-civ-spouse, ?, Husband, White, Male, 0, 0, 45, ?, >50K

"""
BANK = """"age";"job";"balance";"y"
58;"management";2143;"no"
44;"unknown";-29;"yes"
"""
CREDIT1 = """"","SeriousDlqin2yrs","age","MonthlyIncome"
"1",1,45,9120
"2",0,40,NA
"""
NOMAO = """0#1,1,0.5,?,s,0.25,1
1#2,0.5,1,1,n,0.75,-1
"""


class Converters(unittest.TestCase):
    def test_adult(self):
        names, rows = fetch_data.convert_adult(io.StringIO(ADULT))
        self.assertEqual(len(names), 14)
        self.assertEqual([row[0] for row in rows], [0, 1])
        self.assertEqual(rows[0][1:4], ["39", "State-gov", "77516"])
        self.assertEqual(rows[1][2], "")
        self.assertEqual(rows[1][14], "")

    def test_bank(self):
        names, rows = fetch_data.convert_bank(io.StringIO(BANK))
        self.assertEqual(names, ["age", "job", "balance"])
        self.assertEqual(rows, [[0, "58", "management", "2143"], [1, "44", "unknown", "-29"]])

    def test_credit1(self):
        names, rows = fetch_data.convert_credit1(io.StringIO(CREDIT1))
        self.assertEqual(names, ["age", "MonthlyIncome"])
        self.assertEqual(rows, [["1", "45", "9120"], ["0", "40", ""]])

    @needs_xlrd
    def test_credit2(self):
        names, rows = fetch_data.convert_credit2(SMALL_XLS)
        self.assertEqual(names, ["LIMIT_BAL", "RATIO"])
        self.assertEqual(rows, [["1", "20000", "-1.25"], ["0", "-7.01", "123456789.5"]])

    def test_higgs_takes_the_first_rows_only(self):
        line = "1.000000000000000000e+00," + ",".join(["8.692932128906250000e-01"] * 28)
        names, rows = fetch_data.convert_higgs(iter([line] * 3), count=2)
        self.assertEqual((len(names), len(rows), len(rows[0])), (28, 2, 29))
        self.assertEqual(rows[0][:2], [1, "0.869293213"])

    def test_nomao_keeps_features_that_are_numbers_everywhere(self):
        names, rows = fetch_data.convert_nomao(io.StringIO(NOMAO))
        self.assertEqual(names, ["v1", "v2", "v5"])
        self.assertEqual(rows, [[0, "1", "0.5", "0.25"], [1, "0.5", "1", "0.75"]])


class Originals(unittest.TestCase):
    def test_member_of_a_nested_zip(self):
        def zipped(name, data):
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w") as archive:
                archive.writestr(name, data)
            return buffer.getvalue()
        nested = zipped("outer/bank.zip", zipped("bank/bank-full.csv", b"inside"))
        self.assertEqual(fetch_data.member(nested, "bank-full.csv"), b"inside")
        self.assertIsNone(fetch_data.member(nested, "other.csv"))
        self.assertEqual(fetch_data.member(b"plain", "any"), b"plain")

    def test_gunzipped_lines_read_no_further_than_asked(self):
        stream = io.BytesIO(gzip.compress(os.urandom(300_000).hex().encode().replace(b"0", b"\n")))
        lines = fetch_data.gunzipped_lines(stream, piece=1000)
        next(lines)
        self.assertEqual(stream.tell(), 1000)
        small = io.BytesIO(gzip.compress(b"a\nb\nc"))
        self.assertEqual(list(fetch_data.gunzipped_lines(small)), ["a", "b", "c"])

    @needs_xlrd
    def test_xls_errors(self):
        for data in (b"no excel at all", b"", SMALL_XLS[:700]):
            with self.assertRaisesRegex(ValueError, "no .xls file"):
                fetch_data.first_sheet(data)

    def test_a_missing_xlrd_is_told_with_its_package(self):
        with unittest.mock.patch.dict("sys.modules", xlrd=None), \
                self.assertRaisesRegex(fetch_data.Trouble, "apt-get install python3-xlrd"):
            fetch_data.first_sheet(SMALL_XLS)


class Command(unittest.TestCase):
    def run_main(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()) as errors:
            return fetch_data.main(arguments), errors.getvalue()

    def test_converts_a_file_at_hand(self):
        with tempfile.TemporaryDirectory() as directory:
            original = os.path.join(directory, "bank-full.csv")
            with open(original, "w") as file:
                file.write('"age";"job";"y"\n' + '1;"a,b";"no"\n' * 39922 + '2;"";"yes"\n' * 5289)
            fetch_data.SETS["bank"].features, before = 2, fetch_data.SETS["bank"].features
            try:
                code, errors = self.run_main("--dir", directory, "--from", original, "bank")
            finally:
                fetch_data.SETS["bank"].features = before
            self.assertEqual((code, errors), (0, ""))
            with gzip.open(os.path.join(directory, "bank.csv.gz"), "rt") as file:
                rows = list(csv.reader(file))
            self.assertEqual(rows[0], ["label", "age", "job"])
            self.assertEqual(rows[1], ["0", "1", "a,b"])
            self.assertEqual(rows[-1], ["1", "2", ""])

    def test_a_wrong_count_is_refused_and_nothing_written(self):
        with tempfile.TemporaryDirectory() as directory:
            original = os.path.join(directory, "adult.data")
            with open(original, "w") as file:
                file.write(ADULT)
            code, errors = self.run_main("--dir", directory, "--from", original, "adult")
            self.assertEqual(code, 1)
            self.assertIn("adult: 2 rows where 32561 are known", errors)
            self.assertEqual(os.listdir(directory), ["adult.data"])

    def test_a_damaged_original_is_one_line(self):
        with tempfile.TemporaryDirectory() as directory:
            original = os.path.join(directory, "x")
            with open(original, "wb") as file:
                file.write(b"\xff\xfe\x00garbage")
            for name in fetch_data.SETS:
                code, errors = self.run_main("--dir", directory, "--from", original, name)
                self.assertEqual(code, 1, name)
                self.assertEqual(errors.count("\n"), 1, errors)

    def test_credit1_says_where_to_get_it(self):
        with tempfile.TemporaryDirectory() as directory:
            code, errors = self.run_main("--dir", directory, "credit1")
            self.assertEqual(code, 1)
            self.assertIn("kaggle.com/competitions/GiveMeSomeCredit", errors)


if __name__ == "__main__":
    unittest.main()
