"""A table as Markdown and as LaTeX (booktabs), and its place in a page."""
import re

_LATEX = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
          "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
          "±": r"$\pm$", "×": r"$\times$", "≤": r"$\le$", "–": "--", "—": "---", "·": r"$\cdot$", "<": r"\textless{}",
          ">": r"\textgreater{}", "|": r"\textbar{}"}
# A number, or several, with its spread or unit; or a word that stands for one that is not there.
_ONE = r"[-+–]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?"
_NUMBER = re.compile(rf"({_ONE}|-)( ({_ONE}|-))*( ?(±|×|%|\(|[KMG]?B\b|s\b).*)?|[-–—]?|none|inf|∞")
_DIGIT = re.compile(r"\d")


def latex_escape(text):
    return "".join(_LATEX.get(c, c) for c in text)


def sides(columns, rows):
    """"r" for each column of numbers, "l" for text and for the first, which names the row."""
    cells = [[str(row[at]).strip("*") for row in rows] for at in range(len(columns))]  # bold or not
    return ["r" if at and all(map(_NUMBER.fullmatch, column)) and any(map(_DIGIT.search, column)) else "l"
            for at, column in enumerate(cells)]


def markdown(columns, rows, caption=""):
    def line(cells):
        return "| " + " | ".join(str(c).replace("|", "\\|").replace("<", "&lt;") for c in cells) + " |"
    out = [line(columns), "|" + "|".join("---:" if side == "r" else "---" for side in sides(columns, rows)) + "|"]
    out += [line(row) for row in rows]
    return "\n".join(out) + (f"\n\n{caption}\n" if caption else "\n")


def latex(name, columns, rows, caption=""):
    def line(cells):
        return " & ".join(latex_escape(str(c)) for c in cells) + r" \\"
    body = "\n".join(line(row) for row in rows)
    return (f"\\begin{{table}}\n\\caption{{{latex_escape(caption)}}}\n\\label{{{name}}}\n"
            f"\\begin{{tabular}}{{{''.join(sides(columns, rows))}}}\n\\toprule\n{line(columns)}\n"
            f"\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n")


def filled(page, parts):
    """A page of Markdown with the text between <!-- generated: NAME --> and <!-- end of NAME --> replaced by parts[NAME]."""
    for name, text in parts.items():
        place = re.compile(rf"(<!-- generated: {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
        if not place.search(page):
            raise ValueError(f"the page has no place for {name}: <!-- generated: {name} -->")
        page = place.sub(lambda found: found.group(1) + text + found.group(2), page)
    return page


def plus_minus(mean, deviation, count):
    digits = f"{mean:.3g}" if abs(mean) < 1000 else f"{mean:.4g}"
    return digits if count < 2 else f"{digits} ± {deviation:.1g}"


def auc_cell(mean, deviation, count):
    return f"{mean:.4f}" if count < 2 else f"{mean:.4f} ± {deviation:.4f}"


def bytes_text(count):
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if abs(count) >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"
