// The share of the selected topic over dates or groups.

const GROUP_HEIGHT = 240;
let groupsView = null;

const groupRows = (topic) => contents.groups.labels.map((label, i) => ({
  label, start: contents.groups.starts?.[i] ?? label,
  mean: contents.groups.mean[topic][i], low: contents.groups.low[topic][i], high: contents.groups.high[topic][i],
  documents: contents.groups.documents[i],
  shown: percentWithInterval([contents.groups.mean[topic][i], contents.groups.low[topic][i], contents.groups.high[topic][i]]),
}));

function groupSpec(width) {
  const { kind, name, labels } = contents.groups;
  const isLine = kind !== "category" && labels.length > 1;
  const x = kind === "date"
    ? { field: "start", type: "temporal", title: name, scale: { type: "utc" } }
    : { field: "label", type: "ordinal", sort: null, title: name, axis: { labelAngle: labels.length > 8 ? -45 : 0, labelLimit: 120 } };
  const share = (field, rest) => ({ field, type: "quantitative", title: "share of the tokens", axis: { format: "%" }, scale: { zero: true }, ...rest });
  const tooltip = [{ field: "label", title: name }, { field: "shown", title: "share" }, { field: "documents", title: "documents" }];
  const main = colour("accent");
  return {
    width: "container", height: GROUP_HEIGHT, description: `Share of the selected topic by ${name}`,
    data: { name: "rows", values: groupRows(state.topic) },
    encoding: { x },
    layer: [
      { mark: isLine ? { type: "area", color: main, opacity: 0.2 } : { type: "rule", color: main, strokeWidth: 2 }, encoding: { y: share("low"), y2: { field: "high" } } },
      ...(isLine ? [{ mark: { type: "line", color: main }, encoding: { y: share("mean") } }] : []),
      { mark: { type: "point", filled: true, color: main, size: 50, opacity: 1 }, encoding: { y: share("mean"), tooltip } },
    ],
  };
}

function startGroups() {
  if (contents.groups === null) return;
  byId("groups-panel").hidden = false;
  byId("groups-note").textContent = `Shares of the tokens of the documents of each group, with the ${intervalName} over the draws.`;
  draw("groups", groupSpec, (view) => { groupsView = view; });
  whenSelected.push((topic) => {
    byId("groups-heading").textContent = `Topic ${topic} by ${contents.groups.name}`;
    groupsView?.data("rows", groupRows(topic)).runAsync();
  });
}
