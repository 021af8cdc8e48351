"""Draw docs/figures/report.png: the report page of a model of Python's own documentation.

Run by hand with ``python -m docs.figures.make_report``; it needs Chromium with its driver, and
selenium, which the extra ``test`` brings.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from selenium.webdriver.support.ui import WebDriverWait

from benchmarks.headless_chromium import headless_chromium
from blocklda import LDA, Corpus
from blocklda.demo.stdlib_texts import standard_library_texts

OUTPUT = Path(__file__).with_name("report.png")
SIZE = (1500, 1180)
WIDTH = 1200


def make_page(path: Path) -> None:
    """Fit the documentation as `blocklda fit` does, and write its page."""
    texts = standard_library_texts()
    corpus = Corpus.from_texts(texts.values(), doc_names=list(texts), min_df=2, max_df=0.3)
    model = LDA(20, n_chains=4, n_jobs=2, random_state=0)
    model.fit(corpus).report(path, texts=list(texts.values()), title="Python's standard library")


def take_picture(page: Path, picture: Path, profile: Path) -> None:
    """Open the page in a browser without a window, and save what it shows."""
    with headless_chromium(profile, SIZE) as browser:
        browser.get(page.resolve().as_uri())
        ready = "return document.querySelector('#map svg') && document.querySelector('#trace svg')"
        WebDriverWait(browser, 30).until(lambda driver: driver.execute_script(ready))
        browser.save_screenshot(str(picture))
    reduce_colours(picture)


def reduce_colours(picture: Path) -> None:
    """Keep 128 colours and 1200 pixels of width: README.md shows the picture."""
    image = Image.open(picture).convert("RGB")
    height = round(image.height * WIDTH / image.width)
    image = image.resize((WIDTH, height), Image.Resampling.LANCZOS)
    image.quantize(128, dither=Image.Dither.NONE).save(picture, optimize=True)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        make_page(page)
        take_picture(page, OUTPUT, Path(folder) / "profile")
