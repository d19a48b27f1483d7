"""Pages as a reader sees them."""

from html.parser import HTMLParser


class _Cells(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._inside = False

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self._inside = True
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self._inside = self._inside and tag != "td"

    def handle_data(self, data):
        if self._inside:
            self.rows[-1][-1] += data.strip()


def table_rows(page: str) -> list[list[str]]:
    """The cells of all tables of a page as text, row by row."""
    cells = _Cells()
    cells.feed(page)
    return cells.rows
