// Does the model fit: how far the words of each topic depend on documents.

const MISFIT_COLUMNS = [
  ["observed", "observed"], ["expected", "expected"], ["deviation", "deviation"], ["p_value", "p"],
];

const misfitCell = (name, value) => {
  if (value === null) return "–";
  return name === "deviation" ? value.toFixed(1) : value.toFixed(3);
};

function misfitRow(topic) {
  const select = () => { selectTopic(topic); goTo("topic-heading"); };
  return element("tr", {},
    element("th", { scope: "row" }, element("button", { type: "button", class: "word", onclick: select }, topicName(topic))),
    ...MISFIT_COLUMNS.map(([name]) => element("td", { class: "number" }, misfitCell(name, contents.misfit.rows[topic][name]))),
    element("td", {}, topicWords(topic, 5)));
}

function startMisfit() {
  const { rows, note } = contents.misfit;
  fill("misfit-note", note);
  byId("save-misfit").parentElement.hidden = rows.length === 0;
  if (rows.length === 0) return;
  const order = rows.map((_, topic) => topic).sort((a, b) => (rows[b].deviation ?? -Infinity) - (rows[a].deviation ?? -Infinity));
  fill("misfit",
    element("caption", { class: "hidden" }, "Word use of topics"),
    element("thead", {}, element("tr", {}, ...["topic", ...MISFIT_COLUMNS.map(([, title]) => title), "words"].map((title) => element("th", { scope: "col" }, title)))),
    element("tbody", {}, ...order.map(misfitRow)));
}
