// The share of the selected topic over dates, numbers or groups.

const GROUP_HEIGHT = 240;
// What a label takes, and what it takes if it stands upright; what is left of the panel beside the
// axis of shares; how wide a chart of dates or numbers may become. In pixels.
const LABEL_WIDTH = 90;
const LABEL_HEIGHT = 15;
const BESIDE = 60;
const WIDEST = 1600;
let groupsView = null;

const groupShare = (topic, i) => ["mean", "low", "high"].map((part) => contents.groups[part][topic][i]);

const groupPlace = (i) => {
  const place = contents.groups.places === null ? i : contents.groups.places[i];
  return typeof place === "string" ? Date.parse(place) : place;
};

const groupRows = (topic) => contents.groups.labels.map((label, i) => {
  const [mean, low, high] = groupShare(topic, i);
  const shown = percentWithInterval([mean, low, high]);
  return { label, place: groupPlace(i), mean, low, high, documents: contents.groups.documents[i], shown, told: `${label}: ${shown}` };
}).filter(({ place }) => place !== null).map((row, order) => ({ ...row, order }));

// Every group has its label: upright where there is little room, and if need be in a chart that is
// wider than its panel. Dates and numbers that are too close even then are put side by side.
function groupLayout(rows, room) {
  const [first, last] = [rows[0].place, rows[rows.length - 1].place];
  const closest = Math.min(...rows.slice(1).map(({ place }, i) => place - rows[i].place));
  const share = rows.length === 1 ? 1 : closest / (last - first);
  const isScaled = contents.groups.places !== null && LABEL_HEIGHT / share <= Math.max(room, WIDEST);
  const step = isScaled ? share : 1 / rows.length;
  return { isScaled, isTight: step * room < LABEL_WIDTH, width: Math.max(room, LABEL_HEIGHT / step) };
}

// A text that JavaScript has something under in every object, such as "constructor", the library
// takes for a signal of its own: not if a character goes before it that is not seen.
const axisTitle = (text) => (text in {} ? `\u2060${text}` : text);

function groupAxis(rows, { isScaled, isTight }) {
  const shared = { title: axisTitle(shownWord(contents.groups.name)) }; // a long title would leave no room for the chart
  const labels = { labelAngle: isTight ? -90 : 0, labelLimit: 120, labelOverlap: false, labelFlush: false };
  if (isScaled) {
    const places = rows.map(({ place }) => place);
    return { ...shared, field: "place", type: "quantitative", scale: { zero: false, nice: false }, axis: { ...labels, values: places, labelExpr: "labels[indexof(places, datum.value)]" } };
  }
  // By number: a group may be called "__proto__", which the library would take for its own.
  return { ...shared, field: "order", type: "ordinal", axis: { ...labels, labelExpr: "labels[datum.value]" } };
}

function groupSpec(panelWidth) {
  const { kind, name } = contents.groups;
  const rows = groupRows(state.topic);
  const layout = groupLayout(rows, panelWidth - BESIDE);
  const isLine = kind !== "category" && rows.length > 1;
  const share = (field, rest) => ({ field, type: "quantitative", title: "share of the tokens", axis: { format: "%" }, scale: { zero: true }, ...rest });
  // Not titled by the name: of a column called "image" or "title" tooltips would make just that.
  const tooltip = [{ field: "label", title: "group" }, { field: "shown", title: "share" }, { field: "documents", title: "documents" }];
  const main = colour("accent");
  return {
    width: layout.width > panelWidth - BESIDE ? layout.width : "container", height: GROUP_HEIGHT, description: `Share of the selected topic by ${shownWord(name)}`,
    params: [
      { name: "labels", value: rows.map(({ label }) => shownWord(label)) },
      { name: "places", value: rows.map(({ place }) => place) },
    ],
    data: { name: "rows", values: rows },
    encoding: { x: groupAxis(rows, layout) },
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
  return `The topic's share of the tokens of each group, with the ${intervalName} over the draws.` +
    (outside < 0 ? "" : ` The ${number(documents[outside])} documents without a group have ${percentWithInterval(groupShare(topic, outside))}.`) +
    (empty.length === 0 ? "" : ` Not shown, because their documents have no tokens: ${empty.map((name) => shownWord(name)).join(", ")}.`);
}

const showGroups = (topic) => groupsView?.data("rows", groupRows(topic)).runAsync();

function drawGroups() {
  if (contents.groups === null) return;
  draw("groups", groupSpec, (view) => {
    groupsView = view;
    showGroups(state.topic); // another one may have been selected meanwhile
  });
}

function startGroups() {
  if (contents.groups === null) return;
  byId("groups-panel").hidden = false;
  drawGroups();
  whenSelected.push((topic) => {
    byId("groups-heading").textContent = `${topicName(topic)} by ${shownWord(contents.groups.name, 80)}`;
    byId("groups-note").textContent = groupsNote(topic);
    showGroups(topic);
  });
}
