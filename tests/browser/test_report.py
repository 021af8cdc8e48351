"""The report in a real browser: it is used as people do, logs nothing and asks for nothing."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import blocklda
from tests.browser.reader import read
from tests.report.hostile import HOSTILE_TEXTS
from tests.report.page_models import hostile, two_chains

__all__ = ["hostile", "read", "two_chains"]


TEXTS_WITHOUT_NUMBERS = """
return [...document.querySelectorAll("#documents .text")].map((shown) => {
  const copy = shown.cloneNode(true);
  copy.querySelectorAll("sub").forEach((number) => number.remove());
  return copy.textContent;
});
"""


def test_the_bars(read, two_chains):
    reader = read(two_chains)
    largest = max(two_chains.topic_summaries(), key=lambda one: one.prevalence.mean)
    assert reader.one("#topic-heading").text == f"Topic {largest.topic}"
    assert len(reader.all("#topics button")) == 6

    for summary in two_chains.topic_summaries(5):
        reader.select(summary.topic)
        assert reader.one("#topic-heading").text == f"Topic {summary.topic}"
        reader.set_slider(1)
        assert reader.words()[:5] == [word.word for word in summary.words]
        best = int(two_chains.doc_topic_[:, summary.topic].argmax())
        assert reader.texts("#documents summary strong")[0] == f"document {best}"
        stability = (
            "found in every chain"
            if summary.is_stable
            else f"found in {summary.found_in} of 2 chains"
        )
        assert stability in reader.one("#topic-facts").text
        (pressed,) = reader.all("#topics button[aria-pressed=true]")
        assert pressed.get_attribute("data-topic") == str(summary.topic)
    assert reader.texts("#convergence-verdict") == [two_chains.diagnostics().verdict]
    reader.page.require_quiet()


def test_a_click_on_the_map_selects_a_topic(read, two_chains):
    reader = read(two_chains)
    label = next(one for one in reader.all("#map svg text") if one.text == "3")
    ActionChains(reader.driver).move_to_element(label).click().perform()
    reader.wait_for(lambda: reader.one("#topic-heading").text == "Topic 3")
    reader.page.require_quiet()


def test_keys_do_what_the_mouse_does(read, two_chains):
    reader = read(two_chains)
    body = reader.one("body")
    shown = reader.texts("#topics .badge")
    body.send_keys("j")
    assert reader.one("#topic-heading").text == f"Topic {shown[1]}"
    body.send_keys("k")
    assert reader.one("#topic-heading").text == f"Topic {shown[0]}"
    body.send_keys("/")
    assert reader.driver.switch_to.active_element.get_attribute("id") == "search"
    reader.driver.switch_to.active_element.send_keys("jk", Keys.ESCAPE)
    assert reader.one("#search").get_attribute("value") == ""
    assert reader.one("#topic-heading").text == f"Topic {shown[0]}"
    first = reader.one("#topics button")
    first.send_keys(Keys.ARROW_DOWN)
    assert reader.driver.switch_to.active_element.get_attribute("data-topic") == shown[1]
    reader.page.require_quiet()


def test_dark_narrow_and_printed(read, two_chains):
    reader = read(two_chains)
    before = reader.one("body").value_of_css_property("background-color")
    reader.one("#theme").click()
    assert reader.one("body").value_of_css_property("background-color") != before
    command = reader.driver.execute_cdp_cmd
    try:
        phone = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
        command("Emulation.setDeviceMetricsOverride", phone)
        reader.wait_for(lambda: 0 < reader.one("#map svg").size["width"] < 390)
        widest = reader.driver.execute_script("return document.documentElement.scrollWidth")
        assert widest <= 390
    finally:
        command("Emulation.clearDeviceMetricsOverride", {})
    assert len(command("Page.printToPDF", {})["data"]) > 1000
    reader.page.require_quiet()


def test_a_corpus_that_wants_to_be_a_script(read, hostile):
    reader = read(
        hostile,
        texts=HOSTILE_TEXTS,
        groups=[text.split()[0] for text in HOSTILE_TEXTS],
        group_name="<script>window.broken=1</script>",
        title="</title><script>window.broken=1</script>",
    )
    assert reader.driver.title == "</title><script>window.broken=1</script>"
    vocabulary = set(hostile.feature_names_in_)
    for topic in range(3):
        reader.select(topic)
        for weight in (0, 0.5, 1):
            reader.set_slider(weight)
            assert {word for word in reader.words() if len(word) < 40} <= vocabulary | {"␣"}
    for word in ("</script><script>window.broken=1</script>", "__proto__", "constructor", "<"):
        reader.search(word)
        assert word[:35] in reader.one("#found").text  # long words are cut
        similar = reader.all("#found-words button")
        if similar:
            similar[0].click()
    shown = reader.driver.execute_script(TEXTS_WITHOUT_NUMBERS)
    assert shown
    assert set(shown) <= set(HOSTILE_TEXTS)
    assert reader.driver.execute_script("return window.broken") is None
    assert reader.all("#documents script, #documents img, #documents svg, #found img") == []
    reader.page.require_quiet()


@pytest.mark.realdata
def test_kos(read, data_dir):
    corpus = blocklda.read_corpus(data_dir / "docword.kos.txt.gz")
    model = blocklda.LDA(16, n_chains=2, n_sweeps=24, burn_in=8, random_state=0, progress=False)
    model.fit(corpus)
    halves = ["first half"] * 1715 + ["second half"] * 1715
    reader = read(model, groups=halves, group_name="half", title="KOS")
    reader.search("iraq")
    shares = model.components_[:, corpus.vocabulary.index("iraq")] * (
        corpus.doc_lengths() @ model.doc_topic_
    )
    assert reader.texts("#found-topics .badge")[0] == str(shares.argmax())
    reader.one("#found-topics button").click()
    assert reader.one("#topic-heading").text == f"Topic {shares.argmax()}"
    assert reader.one("#groups-heading").text == f"Topic {shares.argmax()} by half"
    reader.set_slider(0)
    rare = reader.words()
    reader.set_slider(1)
    assert "iraq" in reader.words()
    assert rare != reader.words()
    reader.one("#words tbody button").click()
    assert reader.one("#search").get_attribute("value") == reader.words()[0]
    reader.page.require_quiet()
