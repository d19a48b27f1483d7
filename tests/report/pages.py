"""Pages as a reader sees them."""

from bs4 import BeautifulSoup


def table_rows(page: str) -> list[list[str]]:
    """The cells of all tables of a page as text, row by row."""
    rows = BeautifulSoup(page, "html.parser").find_all("tr")
    return [[cell.get_text(strip=True) for cell in row.find_all("td")] for row in rows]
