// Charts: Vega-Lite draws them, in the colours of the style sheet.

// What was drawn last in each box, which listens until it is told that it has been replaced.
const drawn = new Map();

// A variable, not its value: a chart then turns dark or light, and is printed, with the page.
const colour = (name) => `var(--${name})`;

function chartConfig() {
  const text = colour("text");
  const axis = { labelColor: text, titleColor: text, domainColor: colour("line"), tickColor: colour("line"), gridColor: colour("faint") };
  return {
    background: null,
    font: getComputedStyle(document.body).fontFamily,
    view: { stroke: null },
    axis,
    legend: { labelColor: text, titleColor: text },
  };
}

async function draw(id, makeSpec, whenReady = () => {}) {
  const box = byId(id);
  const spec = { $schema: "https://vega.github.io/schema/vega-lite/v6.json", config: chartConfig(), ...makeSpec(box.clientWidth) };
  // Expressions are interpreted, not compiled: the page's policy forbids code made of strings.
  const made = await vegaEmbed(box, spec, { actions: false, renderer: "svg", ast: true, defaultStyle: false });
  drawn.get(id)?.finalize();
  drawn.set(id, made);
  whenReady(made.view);
}

// --- the map

// Beside a chart of groups there is less room below the map.
const MAP_HEIGHT = contents.groups === null ? 500 : 400;
// Of many topics circles are smaller, or they would hide each other.
const LARGEST_CIRCLE = topics.length > 40 ? 1200 : 2600;
let mapView = null;

function mapSpec(width) {
  const rows = topics.map(({ place, share, stable }, topic) => ({
    topic,
    x: place[0],
    y: place[1],
    share: share[0],
    low: share[1] ?? share[0],
    high: share[2] ?? share[0],
    stable: stable !== false,
    size: percentWithInterval(share),
    comes_back: stability(topic),
    words: topicWords(topic, 6),
    told: `topic ${topic}: ${percentWithInterval(share)}`,
  }));
  const partners = topics.flatMap(({ place, chain_places }, topic) =>
    chain_places.length < 2 ? [] : chain_places.filter(([x]) => x !== null).map(([x, y]) => ({ topic, x, y, x0: place[0], y0: place[1] })));
  // Both axes have the same scale: distances are what the map is for.
  const xs = [...rows, ...partners].map(({ x }) => x);
  const ys = [...rows, ...partners].map(({ y }) => y);
  const middle = (values) => (Math.min(...values) + Math.max(...values)) / 2;
  const span = (values) => Math.max(...values) - Math.min(...values);
  const margin = 60;
  const unit = Math.max(span(xs) / Math.max(width - margin, 50), span(ys) / (MAP_HEIGHT - margin)) || 1;
  const domain = (values, pixels) => [middle(values) - (unit * pixels) / 2, middle(values) + (unit * pixels) / 2];
  const x = (field, last) => ({ field, type: "quantitative", axis: null, scale: { domain: domain(xs, width), nice: false, zero: false }, ...last });
  const y = (field, last) => ({ field, type: "quantitative", axis: null, scale: { domain: domain(ys, MAP_HEIGHT), nice: false, zero: false }, ...last });
  const largest = Math.max(...rows.map(({ high }) => high));
  const size = (field) => ({ field, type: "quantitative", legend: null, scale: { domain: [0, largest], range: [0, LARGEST_CIRCLE] } });
  const tooltip = [
    { field: "topic", title: "topic" }, { field: "size", title: "share of the tokens" },
    { field: "comes_back", title: "chains" }, { field: "words", title: "words" },
  ];
  const isSelected = { test: "datum.topic === selected", value: colour("accent") };
  const ring = (field, dash) => ({
    mark: { type: "point", shape: "circle", filled: false, strokeWidth: 1, cursor: "pointer" },
    encoding: {
      x: x("x"), y: y("y"), size: size(field), tooltip,
      stroke: { condition: isSelected, value: colour("text") },
      ...(dash ? { strokeDash: { condition: { test: "datum.stable", value: [1, 0] }, value: [3, 3] } } : { strokeOpacity: { value: 0.5 } }),
    },
  });
  return {
    width, height: MAP_HEIGHT, padding: 0, autosize: "none",
    description: "Map of the topics: those with similar words are close to each other.",
    params: [{ name: "selected", value: state.topic }],
    data: { values: rows },
    // Of the marks of a topic one is read out.
    config: { ...chartConfig(), mark: { aria: false } },
    layer: [
      {
        data: { values: partners }, transform: [{ filter: "datum.topic === selected" }],
        mark: { type: "rule", strokeWidth: 1, color: colour("accent") },
        encoding: { x: x("x0"), y: y("y0"), x2: { field: "x" }, y2: { field: "y" } },
      },
      {
        params: [{
          name: "zoom", bind: "scales",
          select: { type: "interval", zoom: "wheel![event.shiftKey]", translate: "[pointerdown[event.shiftKey], window:pointerup] > window:pointermove!" },
        }],
        mark: { type: "point", shape: "circle", filled: true, cursor: "pointer", aria: true },
        encoding: {
          x: x("x"), y: y("y"), size: size("share"), tooltip, description: { field: "told" },
          fill: { condition: isSelected, value: colour("disc") },
          fillOpacity: { condition: { test: "datum.stable", value: 0.45 }, value: 0.2 },
        },
      },
      ring("high", true),
      ring("low", false),
      {
        data: { values: partners }, transform: [{ filter: "datum.topic === selected" }],
        mark: { type: "point", filled: true, size: 22, color: colour("accent"), opacity: 1 },
        encoding: { x: x("x"), y: y("y") },
      },
      {
        mark: { type: "text", fontSize: topics.length > 40 ? 9 : 11, cursor: "pointer", fontWeight: 600 },
        encoding: { x: x("x"), y: y("y"), text: { field: "topic" }, tooltip, color: { value: colour("text") } },
      },
    ],
  };
}

function drawMap() {
  draw("map", mapSpec, (view) => {
    mapView = view;
    view.addEventListener("click", (_, item) => {
      if (item?.datum?.topic !== undefined) selectTopic(item.datum.topic);
    });
    view.signal("selected", state.topic).runAsync(); // another one may have been selected meanwhile
  });
}

function startMap() {
  drawMap();
  const several = topics[0].chain_places.length > 1;
  const shown = contents.map_shown.reduce((sum, share) => sum + share, 0);
  byId("map-note").textContent =
    (shown > 0 ? `Topics with similar words are close together; the map shows ${percent(shown, 0)} of the differences between topics. ` : "There are no differences between topics to show. ") +
    `The area of a circle is the topic's share of the tokens` +
    (topics[0].share[1] !== null ? `, and its two rings show the ${intervalName} of that share. ` : ". ") +
    (several ? "Dots connected to the selected topic show it in the single chains; dashed topics were not found in every chain. " : "") +
    (topics.length > 40 ? "Hold Shift to zoom with the wheel and to move the map by dragging; a double click resets it." : "");
  whenSelected.push((topic) => mapView?.signal("selected", topic).runAsync());
}
