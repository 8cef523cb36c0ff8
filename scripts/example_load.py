#!/usr/bin/python3
"""An example of maskplots.load: the test AUC of each method, and what it says it costs AP and PP.

  scripts/example_load.py results/quickstart
"""
import sys

from maskplots import load
from maskplots.terminal import one_line


def main(directory):
    runs, numbers = load(directory)
    print("data:", runs.attrs["scale"]["datasets"], "repeats:", runs.attrs["scale"]["repeats"])
    final = numbers[numbers["round"].isna() & (numbers.status == "ok")]
    setting = ["dataset", "method", "eps_ap"]
    auc = final[final.metric == "test_auc"].groupby(setting, observed=True, dropna=False).value
    table = auc.agg(["mean", "std", "count"])
    stated = final[(final.metric == "eps") & (final.view == "stated")]
    eps = stated.pivot_table("value", setting, "party", aggfunc="max", observed=True, dropna=False)
    text = table.join(eps.add_prefix("eps of ")).to_string(float_format="{:.4g}".format)
    print("\n".join(map(one_line, text.split("\n"))))  # results may be a stranger's


if __name__ == "__main__":
    main(sys.argv[1])
