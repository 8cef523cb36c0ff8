"""Figures, tables, summary and report from results.csv. One module for each idea:

results   reads and checks results.csv        series    rows into mean, deviation and x
schema    its columns, the keys' defaults
stats     mean, deviation, paired tests       style     colours, markers, saving
paper     the numbers the paper prints        tables    Markdown and LaTeX
captions  scale and readings in words         gaps      differences from a reference
fig_*     one figure or table of the paper    catalog   which config draws what
claims_*  verdicts on the paper's claims      page      the HTML report; skipped, report_data: parts of it
"""
