"""The HTML report: one file with everything in it."""
import base64
import html
import re

from . import verdict
from .page_style import CSS

MARKS = {verdict.REPRODUCED: ("ok", "✓"), verdict.READING: ("reading", "◐"), verdict.NOT: ("not", "✗"),
         verdict.FALSE: ("false", "✗✗"), verdict.NO_DATA: ("none", "–"),
         verdict.NOT_JUDGED: ("none", "–")}
NUMBER = re.compile(r"[-+–]?[0-9.]*( ?(±|×|[KMG]?B\b).*)?$")


def text(value):
    return html.escape(str(value), quote=True)


def table(columns, rows, caption=""):
    """Columns of numbers stand to the right; a table that is too wide scrolls in its box."""
    side = [" class=n" if at and all(NUMBER.match(str(row[at])) for row in rows) else ""
            for at in range(len(columns))]
    head = "".join(f'<th scope="col"{s}>{text(c)}</th>' for s, c in zip(side, columns))
    body = "".join('<tr><th scope="row">' + text(row[0]) + "</th>"
                   + "".join(f"<td{s}>{text(c)}</td>" for s, c in zip(side[1:], row[1:])) + "</tr>"
                   for row in rows)
    shown = f"<p class=caption>{text(caption)}</p>" if caption else ""
    return (f'<div class="scroll" tabindex="0" role="region" aria-label="{text(caption or columns[0])}">'
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{shown}")


def picture(artifact):
    kind = {".svg": "svg+xml", ".png": "png"}[artifact.picture.suffix]
    encoded = base64.b64encode(artifact.picture.read_bytes()).decode("ascii")
    return (f'<figure id="{text(artifact.name)}"><div class="scroll" tabindex="0" role="region" '
            f'aria-label="{text(artifact.title)}"><img alt="{text(artifact.alt)}" width="{artifact.width}" '
            f'src="data:image/{kind};base64,{encoded}"></div>'
            f'<figcaption>{text(artifact.caption)}</figcaption></figure>')


def artifact_html(artifact):
    if artifact.picture:
        return picture(artifact)
    body = f'<h4>{text(artifact.title)}</h4>' + table(artifact.columns, artifact.rows, artifact.caption)
    if len(artifact.rows) > 24:
        return f"<details><summary>{text(artifact.title)}: {len(artifact.rows)} rows</summary>{body}</details>"
    return body


def chip(name, count=None):
    kind, mark = MARKS[name]
    number = f" {count}" if count is not None else ""
    return f'<span class="chip {kind}"><span aria-hidden="true">{mark}</span> {text(name)}{number}</span>'


def claims_html(judged):
    counts = {name: sum(f.verdict == name for _, f in judged) for name in MARKS}
    chips = " ".join(chip(name, count) for name, count in counts.items() if count)
    cards = "".join(
        f'<article class="claim {MARKS[f.verdict][0]}" id="claim-{c.id}"><h3><span class="id">{c.id}</span> '
        f'{text(c.text)}</h3><p>{chip(f.verdict)} {text(f.note)}</p><p class="why">{text(verdict_sentence(f.why))}</p>'
        f'<p class="command"><code>{text(c.command)}</code></p></article>' for c, f in judged)
    return f'<p class="chips">{chips}</p><div class="claims">{cards}</div>'


def verdict_sentence(why):
    return why if why.endswith(".") else why + "."


def section(name, title, body):
    return f'<section id="{name}"><h2>{text(title)}</h2>{body}</section>'


def render(title, summary, judged, groups, skipped, provenance):
    """groups: [(config, sink)]; the others are HTML made by report_data."""
    figures = ""
    for config, sink in groups:
        body = "".join(artifact_html(a) for a in sink.artifacts)
        for name, reason in sink.skipped:
            body += f'<p class="skipped"><strong>{text(name)}</strong> is missing: {text(reason)}.</p>'
        figures += f'<section class="config" id="config-{text(config)}"><h3>{text(config)}</h3>{body}</section>'
    links = "".join(f'<a href="#{anchor}">{label}</a>' for anchor, label in
                    (("summary", "Summary"), ("claims", "Claims"), ("figures", "Figures and tables"),
                     ("skipped", "Skipped"), ("provenance", "Provenance")))
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{text(title)}</title>'
            f'<link rel="icon" href="data:,"><style>{CSS}</style></head><body><header><h1>{text(title)}</h1>'
            f'<nav aria-label="Sections">{links}</nav></header><main>'
            + section("summary", "Summary", summary)
            + section("claims", "The paper's claims", claims_html(judged))
            + section("figures", "Figures and tables", figures or "<p>None could be made.</p>")
            + section("skipped", "Skipped and failed", skipped)
            + section("provenance", "Provenance", provenance)
            + "</main></body></html>\n")
