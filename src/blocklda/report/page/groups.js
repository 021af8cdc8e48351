// The share of the selected topic over dates, numbers or groups.

const GROUP_HEIGHT = 240;
// What a label takes, and what it takes if it stands upright, in pixels.
const LABEL_WIDTH = 90;
const LABEL_HEIGHT = 15;
let groupsView = null;

const groupShare = (topic, i) => ["mean", "low", "high"].map((part) => contents.groups[part][topic][i]);

const groupRows = (topic) => contents.groups.labels.map((label, i) => {
  const [mean, low, high] = groupShare(topic, i);
  const place = contents.groups.places === null ? i : contents.groups.places[i];
  const shown = percentWithInterval([mean, low, high]);
  return { label, place, mean, low, high, documents: contents.groups.documents[i], shown, told: `${label}: ${shown}` };
}).filter(({ place }) => place !== null);

function groupAxis() {
  const { kind, name, places, labels } = contents.groups;
  const shared = { field: "place", title: shownWord(name) }; // a long title would leave no room for the chart
  if (kind === "date") return { ...shared, type: "temporal", scale: { type: "utc" } };
  if (kind === "number") {
    const isWhole = places.every((place) => place === null || Number.isInteger(place));
    return { ...shared, type: "quantitative", scale: { zero: false, nice: false }, axis: { format: isWhole ? "d" : "~g", tickMinStep: isWhole ? 1 : 0, labelFlush: false, labelOverlap: true } };
  }
  // Every group has its label: upright where there is little room, and below each other's width a
  // chart that is wider than its panel.
  const isTight = labels.length * LABEL_WIDTH > byId("groups").clientWidth;
  // By number: a group may be called "__proto__", which the library would take for its own.
  return { ...shared, type: "ordinal", axis: { labelExpr: "labels[datum.value]", labelAngle: isTight ? -90 : 0, labelLimit: 120, labelOverlap: false } };
}

function groupSpec() {
  const { kind, name } = contents.groups;
  const rows = groupRows(state.topic);
  const isWide = kind === "category" && rows.length * LABEL_HEIGHT > byId("groups").clientWidth - 60;
  const isLine = kind !== "category" && rows.length > 1;
  const share = (field, rest) => ({ field, type: "quantitative", title: "share of the tokens", axis: { format: "%" }, scale: { zero: true }, ...rest });
  // Not titled by the name: of a column called "image" or "title" tooltips would make just that.
  const tooltip = [{ field: "label", title: "group" }, { field: "shown", title: "share" }, { field: "documents", title: "documents" }];
  const main = colour("accent");
  return {
    width: isWide ? { step: LABEL_HEIGHT } : "container", height: GROUP_HEIGHT, description: `Share of the selected topic by ${shownWord(name)}`,
    params: [{ name: "labels", value: contents.groups.labels.map((label) => shownWord(label)) }],
    data: { name: "rows", values: rows },
    encoding: { x: groupAxis() },
    layer: [
      { mark: isLine ? { type: "area", color: main, opacity: 0.2, aria: false } : { type: "rule", color: main, strokeWidth: 2, aria: false }, encoding: { y: share("low"), y2: { field: "high" } } },
      ...(isLine ? [{ mark: { type: "line", color: main, aria: false }, encoding: { y: share("mean") } }] : []),
      { mark: { type: "point", filled: true, color: main, size: 50, opacity: 1 }, encoding: { y: share("mean"), tooltip, description: { field: "told" } } },
    ],
  };
}

// What the chart has no place for is told in words.
function groupsNote(topic) {
  const { places, documents, empty } = contents.groups;
  const outside = places === null ? -1 : places.indexOf(null);
  return `Shares of the tokens of the documents of each group, with the ${intervalName} over the draws.` +
    (outside < 0 ? "" : ` The ${number(documents[outside])} documents without one have ${percentWithInterval(groupShare(topic, outside))}.`) +
    (empty.length === 0 ? "" : ` Left out, since their documents have no tokens: ${empty.map((name) => shownWord(name)).join(", ")}.`);
}

function startGroups() {
  if (contents.groups === null) return;
  byId("groups-panel").hidden = false;
  const show = (topic) => groupsView?.data("rows", groupRows(topic)).runAsync();
  draw("groups", groupSpec, (view) => {
    groupsView = view;
    show(state.topic); // another one may have been selected meanwhile
  });
  whenSelected.push((topic) => {
    byId("groups-heading").textContent = `${topicName(topic)} by ${shownWord(contents.groups.name, 80)}`;
    byId("groups-note").textContent = groupsNote(topic);
    show(topic);
  });
}
