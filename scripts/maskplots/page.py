"""The HTML report: one file with everything in it."""
import base64
import html

from . import captions, tables, verdict
from .page_style import CSS

MARKS = {verdict.REPRODUCED: ("ok", "✓"), verdict.READING: ("reading", "◐"), verdict.NOT: ("not", "✗"),
         verdict.FALSE: ("false", "✗✗"), verdict.NO_DATA: ("none", "–"),
         verdict.NOT_JUDGED: ("none", "–")}
FOLDED = 24  # rows; a longer table is opened by a click
DENSE = 8  # columns; a wider table has smaller letters


def text(value):
    return html.escape(str(value), quote=True)


def table(columns, rows, caption=""):
    """Columns of numbers stand to the right; a table that is too wide scrolls in its box."""
    side = [_column_class(kind, [str(row[at]) for row in rows]) if at else ""
            for at, kind in enumerate(tables.sides(columns, rows))]
    head = "".join(f'<th scope="col"{s}>{text(c)}</th>' for s, c in zip(side, columns))
    body = "".join('<tr><th scope="row">' + text(row[0]) + "</th>"
                   + "".join(f"<td{s}>{text(c)}</td>" for s, c in zip(side[1:], row[1:])) + "</tr>"
                   for row in rows)
    shown = f"<p class=caption>{text(caption)}</p>" if caption else ""
    return (f'<div class="scroll" tabindex="0" role="region" aria-label="{text(caption or columns[0])}">'
            f"<table{' class=dense' * (len(columns) > DENSE)}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{shown}")


def _column_class(side, cells):
    if side == "r":
        return " class=n"
    return " class=w" if max(map(len, cells), default=0) > 40 else ""


def folded(summary, body):
    return f"<details><summary>{text(summary)}</summary>{body}</details>"


def picture(artifact):
    """The picture fits the page; a click shows it at its own size, where it scrolls in its box."""
    kind = {".svg": "svg+xml", ".png": "png"}[artifact.picture.suffix]
    encoded = base64.b64encode(artifact.picture.read_bytes()).decode("ascii")
    return (f'<figure id="{text(artifact.name)}"><h4>{text(artifact.title)}</h4>'
            f'<label class="scroll"><input type="checkbox" class="zoom" aria-label="full size">'
            f'<img alt="{text(artifact.alt)}" width="{artifact.width}" style="--full:{artifact.width}px" '
            f'src="data:image/{kind};base64,{encoded}"></label>'
            f'<figcaption>{text(artifact.caption)} <span class="stamp">{text(artifact.stamp)}</span></figcaption></figure>')


def artifact_html(artifact):
    if artifact.picture:
        return picture(artifact)
    body = table(artifact.columns, artifact.rows, f"{artifact.caption} {artifact.stamp}.")
    if len(artifact.rows) > FOLDED:
        return folded(f"{artifact.title}: {len(artifact.rows)} rows", body)
    return f"<h4>{text(artifact.title)}</h4>{body}"


def chip(name, count=None):
    kind, mark = MARKS[name]
    number = f" {count}" if count is not None else ""
    return f'<span class="chip {kind}"><span aria-hidden="true">{mark}</span> {text(name)}{number}</span>'


def claim_html(claim, finding):
    """The verdict in one sentence; what it rests on, and the command, behind a click."""
    note = f" {full_stop(captions.sentence(finding.note))}" if finding.note else ""
    rest = f'<p class="why">{text(full_stop(finding.why) + note)}</p><p class="command"><code>{text(claim.command)}</code></p>'
    return (f'<article class="claim {MARKS[finding.verdict][0]}" id="claim-{claim.id}"><h3><span class="id">{claim.id}</span> '
            f'{text(claim.text)}</h3><p>{chip(finding.verdict)} {text(full_stop(finding.brief))}</p>'
            f'{folded("what it rests on", rest)}</article>')


def claims_html(judged):
    counts = {name: sum(f.verdict == name for _, f in judged) for name in MARKS}
    chips = " ".join(chip(name, count) for name, count in counts.items() if count)
    seen = [(c, f) for c, f in judged if f.verdict != verdict.NO_DATA]
    unseen = [(c, f) for c, f in judged if f.verdict == verdict.NO_DATA]
    cards = "".join(claim_html(c, f) for c, f in seen)
    if unseen:
        none = "".join(claim_html(c, f) for c, f in unseen)
        cards += folded(f"{len(unseen)} claims that these results say nothing of", f'<div class="claims">{none}</div>')
    return f'<p class="chips">{chips}</p><div class="claims">{cards}</div>'


def full_stop(words):
    return words if words.endswith(".") else words + "."


def section(name, title, body):
    return f'<section id="{name}"><h2>{text(title)}</h2>{body}</section>'


def config_html(config, sink):
    body = "".join(artifact_html(a) for a in sink.artifacts)
    for name, reason in sink.skipped:
        body += f'<p class="skipped"><strong>{text(name)}</strong> is missing: {text(reason)}.</p>'
    return f'<section class="config" id="config-{text(config)}"><h3>{text(config)}</h3>{body}</section>'


def render(title, summary, judged, groups, skipped, provenance):
    """groups: [(config, sink)]; the others are HTML made by report_data and skipped."""
    figures = "".join(config_html(config, sink) for config, sink in groups)
    links = "".join(f'<a href="#{anchor}">{label}</a>' for anchor, label in
                    (("summary", "Summary"), ("claims", "Claims"), ("figures", "Figures and tables"),
                     ("skipped", "Skipped"), ("provenance", "Provenance")))
    configs = "".join(f'<a href="#config-{text(config)}">{text(config)}</a>' for config, _ in groups)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{text(title)}</title>'
            f'<link rel="icon" href="data:,"><style>{CSS}</style></head><body><header><h1>{text(title)}</h1>'
            f'<nav aria-label="Sections">{links}</nav></header><main>'
            + section("summary", "Summary", summary)
            + section("claims", "The paper's claims", claims_html(judged))
            + section("figures", "Figures and tables", f'<nav class="configs" aria-label="Configs">{configs}</nav>'
                      f'<p class="hint">Touch a figure to see it at its full size.</p>{figures}')
            + section("skipped", "Skipped and failed", skipped)
            + section("provenance", "Provenance", provenance)
            + "</main></body></html>\n")
