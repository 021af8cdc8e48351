"""The report for people who use keys, screen readers, notebooks, phones or paper."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import blocklda
from tests.browser.reader import Reader, read
from tests.report.page_models import contents, two_chains

__all__ = ["read", "two_chains"]

CONTROLS = {"button", "searchbox", "slider", "combobox", "checkbox", "link", "region", "heading"}

IS_IN_SIGHT = """
const { top, bottom } = document.querySelector(arguments[0]).getBoundingClientRect();
return top >= 0 && bottom <= innerHeight;
"""

IS_INSIDE = """
const [inner, outer] = [...arguments].map((one) => one.getBoundingClientRect());
return inner.top >= outer.top && inner.bottom <= outer.bottom;
"""

COLOUR_OF_A_LABEL = "return getComputedStyle(document.querySelector('#trace svg text')).fill"


def active(reader):
    return reader.driver.switch_to.active_element


def focused(reader) -> str:
    return active(reader).get_attribute("id")


def is_in_sight(reader, selector: str) -> bool:
    return reader.driver.execute_script(IS_IN_SIGHT, selector)


def test_links_move_within_the_page_and_leave_the_topic(read, two_chains):
    reader = read(two_chains)
    reader.select(2)
    reader.one("#verdict a").click()
    assert focused(reader) == "convergence-heading"
    reader.wait_for(lambda: is_in_sight(reader, "#convergence-heading"))
    reader.driver.execute_script("location.hash = '#elsewhere'")
    assert reader.one("#topic-heading").text == "Topic 2"
    reader.driver.execute_script("location.hash = '#topic=4'")
    reader.wait_for(lambda: reader.one("#topic-heading").text == "Topic 4")
    reader.page.require_quiet()


def test_links_work_in_the_frame_of_a_notebook(open_page, two_chains, tmp_path):
    frame = two_chains.report()._repr_html_()
    (tmp_path / "notebook.html").write_text(f"<!doctype html>{frame}", encoding="utf-8")
    page = open_page(tmp_path / "notebook.html")
    page.driver.switch_to.frame(0)
    try:
        reader = Reader(page)
        reader.one("#verdict a").click()
        assert is_in_sight(reader, "#convergence-heading")
    finally:
        page.driver.switch_to.default_content()
    page.require_quiet()


def test_what_is_pressed_leads_to_what_it_shows(read, two_chains):
    reader = read(two_chains)
    # Pressed by keys: the button may be gone afterwards, and the focus must not be.
    word = reader.one("#words tbody tr:last-child button")
    name = word.text
    word.send_keys(Keys.ENTER)
    assert focused(reader) == "found-heading"
    assert is_in_sight(reader, "#found-heading")
    assert reader.one("#search").get_attribute("value") == name
    reader.one("#found-topics button").send_keys(Keys.ENTER)
    assert focused(reader) == "topic-heading"
    reader.one("#found-topics button").send_keys(Keys.ESCAPE)
    assert focused(reader) == "search"
    assert not reader.one("#found").is_displayed()
    reader.one("#documents .part").send_keys(Keys.ENTER)
    assert focused(reader) == "documents-heading"
    reader.page.require_quiet()


def test_the_list_of_topics_is_one_stop_for_tab(read):
    X = np.random.default_rng(0).poisson(1, (30, 50))
    reader = read(blocklda.LDA(40, n_sweeps=8, random_state=0, progress=False).fit(X))
    shown = reader.texts("#topics .badge")
    reader.one("#order").send_keys(Keys.TAB)
    assert active(reader).get_attribute("data-topic") == shown[0]
    for key, place in ((Keys.ARROW_DOWN, 1), (Keys.END, 39), (Keys.ARROW_UP, 38), (Keys.HOME, 0)):
        active(reader).send_keys(key)
        assert active(reader).get_attribute("data-topic") == shown[place]
        assert reader.one("#topic-heading").text == f"Topic {shown[place]}"
        inside = reader.driver.execute_script(IS_INSIDE, active(reader), reader.one("#topics"))
        assert inside, key
    active(reader).send_keys(Keys.TAB)
    assert focused(reader) == "weight"
    reader.page.require_quiet()


def test_probabilities_are_those_of_the_model(read, two_chains):
    reader = read(two_chains)
    reader.set_slider(1)
    for summary in two_chains.topic_summaries(20):
        reader.select(summary.topic)
        told = [100 * word.probability.mean for word in summary.words]
        assert any(0.01 < share < 0.1 for share in told)
        for text, share in zip(reader.texts("#words td.number"), told, strict=True):
            shown = 0.005 if text == "< 0.01 %" else float(text.removesuffix(" %"))
            # The page has four digits, and shows two after the point: both are rounded.
            assert shown == pytest.approx(share, abs=0.0056)


def test_every_control_has_a_name_and_headings_are_in_order(read, two_chains):
    reader = read(two_chains, groups=["left", "right"] * 20)
    reader.search("1")
    nodes = reader.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    shown = [node for node in nodes if not node["ignored"] and node["role"]["value"] in CONTROLS]
    assert {node["role"]["value"] for node in shown} == CONTROLS
    assert [node for node in shown if not node["name"]["value"].strip()] == []
    names = [node["name"]["value"] for node in nodes if "name" in node]
    assert any(name.startswith("left: ") for name in names), "groups can be read out"
    assert len({name for name in names if re.fullmatch(r"topic \d: [^:]*", name)}) == 6
    levels = reader.driver.execute_script(
        "return [...document.querySelectorAll('h1, h2, h3')].map((one) => one.tagName)"
    )
    assert levels == ["H1"] + ["H2"] * (len(levels) - 1)


def test_charts_follow_the_colours_of_the_page_and_of_paper(read, two_chains):
    reader = read(two_chains)
    light = reader.driver.execute_script(COLOUR_OF_A_LABEL)
    reader.one("#theme").click()
    assert reader.driver.execute_script(COLOUR_OF_A_LABEL) != light
    ActionChains(reader.driver).move_to_element(reader.one("#map svg text")).perform()
    reader.wait_for(lambda: reader.all("#vg-tooltip-element.visible"))
    for part in ("background-color", "color"):
        tooltip = reader.one("#vg-tooltip-element").value_of_css_property(part)
        assert tooltip == reader.one("#map-panel").value_of_css_property(part)
    command = reader.driver.execute_cdp_cmd
    try:
        command("Emulation.setEmulatedMedia", {"media": "print"})
        assert reader.driver.execute_script(COLOUR_OF_A_LABEL) == light
    finally:
        command("Emulation.setEmulatedMedia", {"media": ""})
    reader.page.require_quiet()


@pytest.mark.parametrize("name", ["image", "title", "constructor", "long " * 60])
def test_groups_of_any_name_are_drawn(read, two_chains, name):
    labels = ["http://127.0.0.1:9/x.png", "__proto__", "", "constructor"]
    reader = read(two_chains, groups=labels * 10, group_name=name)
    reader.wait_for(lambda: len(reader.all("#groups .mark-symbol path")) == 4)
    places = {point.location["x"] for point in reader.all("#groups .mark-symbol path")}
    assert len(places) == 4
    reader.driver.execute_script("document.getElementById('groups').scrollIntoView()")
    for point in reader.all("#groups .mark-symbol path"):
        ActionChains(reader.driver).move_to_element(point).perform()
    reader.wait_for(lambda: reader.texts("#vg-tooltip-element .key"))
    assert reader.texts("#vg-tooltip-element .key") == ["group", "share", "documents"]
    reader.page.require_quiet()


def test_words_of_any_kind_can_be_pressed(read):
    words = ["", " ", "\u200b", "\U0001f600" * 50, "a\u202eb", "cr\r\nlf", "nul\0", "ש", "x" * 99]
    corpus = blocklda.Corpus.from_matrix(np.full((6, 9), 2), vocabulary=words)
    model = blocklda.LDA(2, n_sweeps=8, random_state=0, progress=False).fit(corpus)
    reader = read(model)
    shown = reader.words()
    assert shown.count("␣") == 3
    assert "\U0001f600" * 39 + "…" in shown  # not half a character
    for button in reader.all("#words tbody button"):
        button.send_keys(Keys.ENTER)
        assert "12 tokens" in reader.one("#found-heading").text
    reader.page.require_quiet()


def test_documents_without_a_date_are_told(read, two_chains):
    reader = read(two_chains, groups=["2020", "2021", "2022", None] * 10, group_name="year")
    reader.wait_for(lambda: len(reader.all("#groups .mark-symbol path")) == 3)
    assert "The 10 documents without a group have" in reader.one("#groups-note").text
    reader.page.require_quiet()


SAVED = """
const saved = [];
URL.createObjectURL = (blob) => { blob.text().then((text) => saved.push(text)); return "data:,"; };
window.saved = saved;
"""


def test_labels_are_typed_and_saved(read, two_chains):
    reader = read(two_chains)
    reader.select(2)
    reader.driver.execute_script(SAVED)
    reader.one("#topic-label").send_keys("northern j and k")
    assert reader.one("#topic-heading").text == "2 northern j and k"
    assert "northern j and k" in reader.one("#topics button[data-topic='2']").text
    reader.select(3)
    assert reader.one("#topic-label").get_attribute("value") == ""
    for name in ("labels", "topics", "words"):
        reader.driver.execute_script(
            "document.getElementById(arguments[0]).click()", f"save-{name}"
        )
    reader.wait_for(lambda: len(reader.driver.execute_script("return window.saved")) == 3)
    labels, topics, words = reader.driver.execute_script("return window.saved")
    assert json.loads(labels) == {"2": "northern j and k"}
    assert topics.splitlines()[0] == "topic,label,share,low,high,found_in,words"
    assert topics.splitlines()[3].startswith("2,northern j and k,")
    assert words.splitlines()[0] == "topic,label,word,probability,low,high"
    reader.page.require_quiet()


def test_saved_tables_hold_no_formulas(read, two_chains):
    hostile = ["=HYPERLINK(1)", "@SUM(A1)", "+cmd", "-cmd", "\tx", "\rx"]
    harmless = ["-1.5", "+2e-3", "a=b"]
    groups = (hostile + harmless) * 4 + ["word"] * 4
    reader = read(two_chains, groups=groups, group_name="kind")
    reader.driver.execute_script(SAVED)
    reader.driver.execute_script("document.getElementById('save-groups').click()")
    reader.wait_for(lambda: reader.driver.execute_script("return window.saved.length") == 1)
    (text,) = reader.driver.execute_script("return window.saved")
    rows = list(csv.DictReader(StringIO(text, newline="")))
    assert {row["group"] for row in rows} == {f"'{one}" for one in hostile} | {*harmless, "word"}
    reader.page.require_quiet()


def test_tables_behind_every_panel_are_saved(read, two_chains):
    reader = read(two_chains, groups=["left", "right"] * 20, group_name="side")
    reader.driver.execute_script(SAVED)
    names = ("documents", "convergence", "trace", "misfit", "groups")
    for name in names:
        click = "document.getElementById(arguments[0]).click()"
        reader.driver.execute_script(click, f"save-{name}")
    reader.wait_for(lambda: len(reader.driver.execute_script("return window.saved")) == len(names))
    texts = reader.driver.execute_script("return window.saved")
    documents, convergence, trace, misfit, groups = (pd.read_csv(StringIO(text)) for text in texts)

    first = documents[(documents["typical_of"] == 2) & (documents["rank"] == 1)]
    best = int(two_chains.doc_topic_[:, 2].argmax())
    assert first["document"].unique().tolist() == [best]
    shares = two_chains.doc_topic_[best][first["topic"]]
    np.testing.assert_allclose(first["share"], shares, rtol=1e-3)
    assert convergence.columns[:3].tolist() == ["quantity", "mean", "sd"]
    assert "log posterior" in set(convergence["quantity"])
    assert set(trace["chain"]) == {0, 1}
    last = trace[trace["sweep"] == 60]["log_posterior"]
    np.testing.assert_allclose(last, two_chains.result_.log_posterior[:, -1], atol=0.06)
    expected = two_chains.posterior_predictive_check()
    np.testing.assert_allclose(misfit["observed"], expected["observed"], rtol=1e-3, atol=1e-6)
    assert set(groups["group"]) == {"left", "right"}
    reader.page.require_quiet()


def test_topics_that_do_not_fit_are_listed_first(read, two_chains):
    reader = read(two_chains)
    expected = two_chains.posterior_predictive_check()
    order = expected.sort_values("deviation", ascending=False, kind="stable")["topic"]
    assert reader.texts("#misfit tbody th") == [f"Topic {k}" for k in order]
    reader.driver.execute_script("document.querySelectorAll('#misfit tbody button')[3].click()")
    assert reader.one("#topic-heading").text == f"Topic {order.iloc[3]}"
    reader.page.require_quiet()


LABELS_OF_GROUPS = """
const texts = [...document.querySelectorAll("#groups .role-axis-label text")];
const inside = document.querySelector("#groups svg").getBoundingClientRect();
return texts.filter((one) => one.textContent !== "" && !/%$/.test(one.textContent)).map((one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  const isShown = Number(getComputedStyle(one).opacity) > 0 && left >= inside.left - 1
    && right <= inside.right + 1 && bottom <= inside.bottom + 1;
  return [one.textContent, left, right, top, bottom, isShown];
});
"""

GROUPS = {
    "a few names": ["left", "right"],
    "many long names": [f"department number {i}" for i in range(20)],
    "years": [str(year) for year in range(1990, 2020)],
    "years with a gap": ["1900", "1991", "1992", "2024"],
    "numbers that are far apart": ["1", "2", "100000"],
    "months": [f"2023-{month:02d}" for month in range(1, 13)],
    "days of two years": ["2019-02-01", "2019-02-02", "2021-07-09"],
}


@pytest.mark.parametrize("kind", GROUPS)
def test_every_group_has_its_label_at_every_width(read, two_chains, kind):
    values = [GROUPS[kind][i % len(GROUPS[kind])] for i in range(40)]
    reader = read(two_chains, groups=values, group_name=kind)
    expected = contents(two_chains, groups=values, group_name=kind)["groups"]["labels"]
    command = reader.driver.execute_cdp_cmd
    try:
        for width in (1400, 800, 360):
            screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            command("Emulation.setDeviceMetricsOverride", screen)
            reader.wait_for(lambda width=width: has_labels(reader, expected, width))
            assert_apart(reader.driver.execute_script(LABELS_OF_GROUPS))
            widest = reader.driver.execute_script("return document.documentElement.scrollWidth")
            assert widest <= width
    finally:
        command("Emulation.clearDeviceMetricsOverride", {})
    reader.page.require_quiet()


def has_labels(reader: Reader, expected: list[str], width: int) -> bool:
    """Return True once the chart has been drawn for this width with all labels in sight."""
    drawn = reader.driver.execute_script("return innerWidth") == width
    shown = reader.driver.execute_script(LABELS_OF_GROUPS)
    return drawn and sorted(row[0] for row in shown if row[5]) == sorted(expected)


def assert_apart(labels: list[Any]) -> None:
    """Refuse labels that lie on each other."""
    ordered = sorted(labels, key=lambda row: row[1])
    for (name, _, right, *_), (other, left, *_) in pairwise(ordered):
        assert left >= right - 2, (name, other)


def test_labels_of_the_model_are_shown(read, two_chains):
    two_chains.set_topic_labels({"1": "coast"})
    try:
        reader = read(two_chains)
        reader.select(1)
        assert reader.one("#topic-heading").text == "1 coast"
    finally:
        two_chains.set_topic_labels({1: ""})
