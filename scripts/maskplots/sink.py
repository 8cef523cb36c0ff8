"""Where figures and tables go, and the reasons for those that could not be made."""
from dataclasses import dataclass, field
from pathlib import Path

from . import style, tables


@dataclass
class Artifact:
    name: str
    title: str
    caption: str
    alt: str = ""
    picture: Path | None = None
    width: int = 0  # of the picture, in CSS pixels
    columns: list = field(default_factory=list)
    rows: list = field(default_factory=list)


class Sink:
    def __init__(self, folder, save=style.save):
        self.save = save
        self.folder = Path(folder)
        self.artifacts = []
        self.skipped = []  # (name, reason)
        self.written = []

    def skip(self, name, reason):
        self.skipped.append((name, reason))
        print(f"{name}: skipped: {reason}")

    def figure(self, figure, name, title, caption, alt):
        name = style.file_name(name)
        paths = self.save(figure, self.folder, name)
        width = round(108 * figure.get_size_inches()[0])
        style.plt.close(figure)
        self._text(f"{name}.caption.txt", f"{title}. {caption}\n")
        self.written += paths.values()
        self.artifacts.append(Artifact(name, title, caption, alt, paths.get("svg") or paths["png"], width))

    def table(self, name, title, caption, columns, rows):
        name = style.file_name(name)
        self._text(f"{name}.md", tables.markdown(columns, rows, caption))
        self._text(f"{name}.tex", tables.latex(name, columns, rows, caption))
        self.artifacts.append(Artifact(name, title, caption, columns=columns, rows=rows))

    def _text(self, file, text):
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / file
        path.write_text(text, encoding="utf-8")
        self.written.append(path)
