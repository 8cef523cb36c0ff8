"""The report's looks: dark on light, one column, wide things scroll inside their own box."""

CSS = """
:root{--ink:#1d2329;--soft:#56606b;--line:#dde2e7;--paper:#fff;--back:#f5f7f9;--link:#0b5cad}
*{box-sizing:border-box}
html{scroll-padding-top:3.4rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--back);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",
Roboto,"DejaVu Sans",sans-serif}
header{background:var(--paper);border-bottom:1px solid var(--line)}
h1{font-size:1.6rem;line-height:1.2;margin:0;padding:1.4rem 1.2rem .5rem}
header,main{padding:0 max(0px,calc((100% - 1120px)/2))}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;padding:0 1.2rem .9rem}
a{color:var(--link)}nav a{text-decoration:none;padding:.15rem 0}nav a:hover{text-decoration:underline}
section{padding:.2rem 1.2rem}section section{padding:0}
h2{font-size:1.3rem;margin:1.8rem 0 .7rem}
h3{font-size:1.02rem;line-height:1.35;margin:0 0 .4rem}
#provenance h3{margin-top:1.3rem}
h4{font-size:.95rem;margin:1rem 0 .4rem}
.config{background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:1rem;margin:0 0 1.1rem}
section.config{padding:1rem}
.lead{max-width:48rem}
figure{margin:.6rem 0 1.4rem}
figure img{display:block;max-width:100%;height:auto;cursor:zoom-in}
.zoom{position:absolute;width:1px;height:1px;opacity:0}
.zoom:checked+img{width:max(var(--full),960px);max-width:none;cursor:zoom-out}
.zoom:focus-visible+img{outline:2px solid var(--link);outline-offset:2px}
label.scroll{display:block;position:relative}
figcaption{color:var(--soft);font-size:.86rem;margin:.4rem 0 0;max-width:60rem;overflow-wrap:anywhere}
.stamp{display:block;font-size:.78rem;margin-top:.15rem}
.scroll{overflow-x:auto;max-width:100%}
div.scroll{width:fit-content;background:linear-gradient(90deg,var(--paper) 1rem,#fff0 3rem) 0 0,
linear-gradient(270deg,var(--paper) 1rem,#fff0 3rem) 100% 0,linear-gradient(90deg,#0003,#0000) 0 0/.8rem 100%,
linear-gradient(270deg,#0003,#0000) 100% 0/.8rem 100%,var(--paper);background-repeat:no-repeat;
background-attachment:local,local,scroll,scroll,scroll}
.scroll:focus-visible{outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;font-size:.83rem}
table.dense{font-size:.75rem}.dense th,.dense td{padding:.25rem .35rem}.dense thead th{white-space:normal}
.caption{color:var(--soft);font-size:.86rem;margin:.5rem 0 1.2rem;max-width:60rem}
th,td{padding:.3rem .5rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
thead th{border-bottom:2px solid #aeb7c0;white-space:nowrap}
tbody th{font-weight:600;white-space:nowrap}
.n{text-align:right!important;font-variant-numeric:tabular-nums;white-space:nowrap}
.chips{display:flex;flex-wrap:wrap;gap:.5rem;margin:.2rem 0 1rem}
.chip{display:inline-block;border-radius:1rem;padding:.1rem .7rem;font-size:.84rem;font-weight:600;
border:1px solid currentColor}
.chip.ok{color:#0a5c36;background:#e6f5ec}.chip.reading{color:#7a4a00;background:#fff4dd}
.chip.not{color:#8a2b06;background:#fdebe4}.chip.false{color:#fff;background:#8f1414;border-color:#8f1414}
.chip.none{color:#4b545d;background:#eef1f4}
.claims{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,31rem),1fr));gap:.8rem;align-items:start}
.claim{background:var(--paper);border:1px solid var(--line);border-left:5px solid #9aa4ae;border-radius:6px;
padding:.8rem .9rem;min-width:0}
.claim.ok{border-left-color:#12824c}.claim.reading{border-left-color:#c98600}
.claim.not{border-left-color:#c2410c}.claim.false{border-left-color:#8f1414}
.claim .id{display:inline-block;min-width:2rem;color:var(--soft)}
.claim p{margin:.35rem 0}.why{font-size:.9rem;overflow-wrap:anywhere}
code{font:.8rem/1.4 ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
.command code{color:var(--soft)}
.skipped{color:var(--soft);font-size:.9rem;overflow-wrap:anywhere}
.warning{border-left:4px solid #c98600;background:#fff4dd;padding:.5rem .8rem;border-radius:4px;max-width:60rem}
nav.configs{padding:0 0 .8rem;font-size:.9rem}
.claims>details{grid-column:1/-1}.claims details .claims{margin-top:.6rem}
td{overflow-wrap:break-word;max-width:34rem}.w{min-width:11rem}
.hint{display:none;color:var(--soft);font-size:.9rem}
details summary{cursor:pointer;color:var(--link);font-size:.95rem;padding:.3rem 0}
@media (max-width:700px){
body{font-size:15px}h1{font-size:1.3rem;padding:1rem .8rem .4rem}nav{padding:0 .8rem .7rem}
section{padding:.1rem .8rem}section.config{padding:.7rem}.hint{display:block}
tbody th{white-space:normal;min-width:7.5rem}
}
@media print{body{background:#fff}.scroll{overflow:visible}figure{break-inside:avoid}}
"""
