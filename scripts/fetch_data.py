#!/usr/bin/env python3
"""Downloads the paper's data sets from their public homes and converts them for maskbench.

  fetch_data.py --dir DIR [NAME...]          all, or the named ones of: adult bank credit1 credit2
                                             higgs nomao
  fetch_data.py --dir DIR --from FILE NAME   converts an original that you have already

Writes DIR/NAME.csv.gz: a header, first column label (0/1), missing = empty, strings = categories.
Row counts and positives are checked before anything is written. Needs Python alone; for credit2, an
old Excel file, also xlrd: apt-get install python3-xlrd
"""
import argparse
import csv
import gzip
import io
import itertools
import os
import sys
import urllib.error
import urllib.request
import zipfile
import zlib

from maskplots.terminal import one_line

UCI = "https://archive.ics.uci.edu"
HIGGS_ROWS = 200_000

ADULT_NAMES = ("age workclass fnlwgt education education-num marital-status occupation relationship "
               "race sex capital-gain capital-loss hours-per-week native-country").split()
HIGGS_NAMES = ("lepton_pT lepton_eta lepton_phi missing_energy_magnitude missing_energy_phi "
               "jet_1_pt jet_1_eta jet_1_phi jet_1_b-tag jet_2_pt jet_2_eta jet_2_phi jet_2_b-tag "
               "jet_3_pt jet_3_eta jet_3_phi jet_3_b-tag jet_4_pt jet_4_eta jet_4_phi jet_4_b-tag "
               "m_jj m_jjj m_lv m_jlv m_bb m_wbb m_wwbb").split()


class Trouble(Exception):
    """One line for the user."""


# ---- converters: bytes or lines of the original -> (names of the features, rows [label, ...])

def convert_adult(lines):
    rows = []
    for fields in csv.reader(lines, skipinitialspace=True):
        if len(fields) < 15:
            continue  # the file ends with an empty line
        values = ["" if field == "?" else field for field in fields[:14]]
        rows.append([int(fields[14].rstrip(".") == ">50K"), *values])
    return ADULT_NAMES, rows


def convert_bank(lines):
    reader = csv.reader(lines, delimiter=";")
    header = next(reader)
    return header[:-1], [[int(fields[-1] == "yes"), *fields[:-1]] for fields in reader if fields]


def convert_credit1(lines):
    reader = csv.reader(lines)
    header = next(reader)
    label = header.index("SeriousDlqin2yrs")
    kept = [i for i in range(1, len(header)) if i != label]  # column 0 numbers the rows
    rows = [[fields[label], *("" if fields[i] == "NA" else fields[i] for i in kept)]
            for fields in reader if fields]
    return [header[i] for i in kept], rows


def plain_number(value):
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def first_sheet(data):
    """The rows of an .xls file: float or str, "" where a cell is empty."""
    try:
        import xlrd
    except ModuleNotFoundError:
        raise Trouble("credit2: xlrd is missing, which reads .xls files: apt-get install python3-xlrd, then use "
                      "/usr/bin/python3")
    try:
        sheet = xlrd.open_workbook(file_contents=data, logfile=io.StringIO()).sheet_by_index(0)
    except Exception as error:  # of a damaged file xlrd raises almost anything
        raise ValueError(f"no .xls file: {error}")
    return [sheet.row_values(row) for row in range(sheet.nrows)]


def convert_credit2(data):
    table = first_sheet(data)
    header = next((row for row in table if "LIMIT_BAL" in row), None)
    if header is None:
        raise Trouble("credit2: no column LIMIT_BAL in the sheet; is this UCI's file?")
    first = table.index(header) + 1
    rows = [[plain_number(row[-1]), *map(plain_number, row[1:-1])] for row in table[first:]]
    return header[1:-1], rows


def convert_higgs(lines, count=HIGGS_ROWS):
    rows = []
    for fields in itertools.islice(csv.reader(lines), count):
        rows.append([int(float(fields[0])), *(f"{float(x):.9g}" for x in fields[1:])])
    return HIGGS_NAMES, rows


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def convert_nomao(lines):
    """Of UCI's 118 features those that are numbers in every row; the paper names ten and a rate of
    0.28, which is the share of label -1 (two entries that are different places)."""
    table = [fields for fields in csv.reader(lines) if fields]
    width = len(table[0])
    kept = [i for i in range(1, width - 1) if all(is_number(fields[i]) for fields in table)]
    rows = [[int(float(fields[-1]) < 0), *(fields[i] for i in kept)] for fields in table]
    return [f"v{i}" for i in kept], rows


# ---- originals

def download(url):
    print(f"  from {url}", flush=True)
    request = urllib.request.Request(url, headers={"User-Agent": "maskbench fetch_data.py"})
    try:
        return urllib.request.urlopen(request, timeout=60)
    except (urllib.error.URLError, OSError) as error:
        raise Trouble(f"{url}: {error}; check the network, or download it by hand and use --from")


def open_original(source):
    """A file or a web address, to read bytes from."""
    return download(source) if source.startswith("https://") else open(source, "rb")


def member(data, name):
    """The file `name` in a zip, or in a zip within it; or the data itself if it is no zip."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        inner = [path for path in archive.namelist() if path.endswith(".zip")]
        for path in archive.namelist():
            if os.path.basename(path) == name:
                return archive.read(path)
        for path in inner:
            found = member(archive.read(path), name)
            if found is not None:
                return found
    return None


def gunzipped_lines(stream, piece=1 << 16):
    """Lines of a gzipped stream, read no further than they are asked for."""
    inflate = zlib.decompressobj(31)
    rest = b""
    while data := stream.read(piece):
        *lines, rest = (rest + inflate.decompress(data)).split(b"\n")
        for line in lines:
            yield line.decode()
    if rest:
        yield rest.decode()


def text_lines(data):
    return io.StringIO(data.decode("utf-8-sig"))


class DataSet:
    """Where an original lies, its file inside a zip, and what it must hold."""

    def __init__(self, url, inside, convert, rows, positives=None, features=None):
        self.url, self.inside, self.convert = url, inside, convert
        self.rows, self.positives, self.features = rows, positives, features

    def read(self, source):
        with open_original(source) as stream:
            if self.convert is convert_higgs:  # 2.6 GB: take the first rows and leave
                return convert_higgs(gunzipped_lines(stream))
            data = member(stream.read(), self.inside)
        if data is None:
            raise Trouble(f"{source}: holds no {self.inside}; has the archive changed?")
        return self.convert(data if self.inside.endswith(".xls") else text_lines(data))

    def check(self, name, names, rows):
        positives = sum(int(row[0]) for row in rows)
        found = {"rows": len(rows), "positives": positives, "features": len(names)}
        for what, count in found.items():
            expected = getattr(self, what)
            if expected is not None and count != expected:
                raise Trouble(f"{name}: {count} {what} where {expected} are known; "
                              "is this the right file, and whole?")


SETS = {
    "adult": DataSet(f"{UCI}/static/public/2/adult.zip", "adult.data", convert_adult,
                     32561, 7841, 14),
    "bank": DataSet(f"{UCI}/static/public/222/bank+marketing.zip", "bank-full.csv", convert_bank,
                    45211, 5289, 16),
    "credit1": DataSet(None, "cs-training.csv", convert_credit1, 150000, 10026, 10),
    "credit2": DataSet(f"{UCI}/static/public/350/default+of+credit+card+clients.zip",
                       "default of credit card clients.xls", convert_credit2, 30000, 6636, 23),
    "higgs": DataSet(f"{UCI}/ml/machine-learning-databases/00280/HIGGS.csv.gz", None, convert_higgs,
                     HIGGS_ROWS, None, 28),
    "nomao": DataSet(f"{UCI}/static/public/227/nomao.zip", "Nomao.data", convert_nomao,
                     34465, 9844, None),
}


def write_csv_gz(path, names, rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["label", *names])
    writer.writerows(rows)
    part = path + ".part"
    with open(part, "wb") as file:
        file.write(gzip.compress(text.getvalue().encode(), mtime=0))
    os.replace(part, path)


def fetch(name, directory, source):
    data_set = SETS[name]
    source = source or data_set.url
    if source is None:
        raise Trouble(f"{name}: Kaggle gives it to signed-in users only; download cs-training.csv from "
                      "https://www.kaggle.com/competitions/GiveMeSomeCredit/data and use "
                      "--from cs-training.csv credit1")
    print(f"{name}:", flush=True)
    try:
        names, rows = data_set.read(source)
    except (OSError, ValueError, IndexError, KeyError, zlib.error, csv.Error,
            zipfile.BadZipFile, StopIteration) as error:
        raise Trouble(f"{name}: {source} cannot be read ({error}); is it the right file?")
    data_set.check(name, names, rows)
    path = os.path.join(directory, name + ".csv.gz")
    write_csv_gz(path, names, rows)
    print(f"  {path}: {len(rows)} rows, {len(names)} features", flush=True)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--dir", default=os.environ.get("MASKBENCH_DATA", "data"),
                        help="where to write (default: $MASKBENCH_DATA, else ./data)")
    parser.add_argument("--from", dest="source", metavar="FILE", help="an original at hand")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in SETS]
    if unknown:
        parser.error(f"unknown data set {unknown[0]}; known are {' '.join(SETS)}")
    if options.source and len(options.names) != 1:
        parser.error("--from converts one file; name its data set")
    os.makedirs(options.dir, exist_ok=True)
    failed = False
    for name in options.names or SETS:
        try:
            fetch(name, options.dir, options.source)
        except Trouble as trouble:
            print(f"fetch_data: {one_line(trouble)}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
