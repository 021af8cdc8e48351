// Convergence: the verdict, the traces of the chains, R-hat and effective draws; how it was made.

const DASHES = [[1, 0], [6, 3], [2, 2], [8, 2, 2, 2]];
const R_HAT_LIMIT = 1.01;

// What every chain has after each sweep; the height is that of what came after the burn-in, or of all.
function traceSpec({ traces, burn_in }, title, description, fromStart = false) {
  const several = traces.chains.length > 1;
  const rows = traces.chains.flatMap((values, chain) =>
    values.map((value, i) => ({ chain: `chain ${chain}`, sweep: traces.sweeps[i], value })).filter(({ value }) => value !== null));
  const last = traces.sweeps[traces.sweeps.length - 1];
  const from = fromStart ? 1 : Math.max(1, Math.min(burn_in / 2, last / 4));
  const settled = rows.filter(({ sweep }) => sweep >= from).map(({ value }) => value);
  const [low, high] = [Math.min(...settled), Math.max(...settled)];
  const margin = 0.05 * (high - low) || 1;
  const y = { field: "value", type: "quantitative", title, scale: { domain: [low - margin, high + margin], zero: false, nice: false }, axis: { format: ",.0f" } };
  const names = traces.chains.map((_, chain) => `chain ${chain}`);
  const byChain = { field: "chain", type: "nominal", title: null, legend: several ? { orient: "bottom", columns: 4 } : null };
  return {
    width: "container", height: 220, description,
    layer: [
      { data: { values: [{ from: 0, to: burn_in }] }, mark: { type: "rect", color: colour("line"), opacity: 0.25 }, encoding: { x: { field: "from", type: "quantitative" }, x2: { field: "to" } } },
      {
        data: { values: rows }, mark: { type: "line", clip: true, strokeWidth: 1.3 },
        encoding: {
          x: { field: "sweep", type: "quantitative", title: "sweep (grey: burn-in)", axis: { format: "d", tickMinStep: 1 }, scale: { domain: [0, last], nice: false } }, y,
          color: { ...byChain, scale: { domain: names, range: names.map((_, i) => colour(`series-${(i % 6) + 1}`)) } },
          strokeDash: { ...byChain, scale: { domain: names, range: names.map((_, i) => DASHES[i % DASHES.length]) } },
        },
      },
    ],
  };
}

const COLUMNS = [
  ["quantity", "quantity"], ["mean", "mean"], ["sd", "sd"], ["r_hat", "R-hat"],
  ["ess_bulk", "effective draws"], ["ess_tail", "in the tails"], ["ess_per_second", "per second"],
];

function mixingCell(name, value) {
  if (value === null) return "–";
  if (typeof value === "string") return value;
  if (name === "r_hat") return value.toFixed(3) + (value > R_HAT_LIMIT ? " *" : "");
  return name.startsWith("ess_") && name !== "ess_per_second" ? number(Math.round(value)) : String(value);
}

// How many topics there are, where nobody gave their number.
function startCounts() {
  if (contents.counts === null) return;
  const { counted, advice, table } = contents.counts;
  byId("counts-panel").hidden = false;
  fill("counts-heading", `How many ${counted} are there?`);
  fill("counts-advice", advice);
  const value = (one) => (one === null ? "–" : number(one));
  const cells = (row) => [
    `${value(row.median)} (${value(row.low)} to ${value(row.high)})`,
    row.by_chain.map(value).join(", "),
    row.r_hat === null ? "–" : row.r_hat.toFixed(3),
  ];
  if (table.length > 0) {
    fill("counts-table",
      element("caption", { class: "hidden" }, `Measures of the number of ${counted}`),
      element("thead", {}, element("tr", {}, ...["counted", "median (90 % interval)", "means by chain", "R-hat"].map((title) => element("th", { scope: "col" }, title)))),
      element("tbody", {}, ...table.map((row) => element("tr", {}, element("th", { scope: "row" }, row.title), ...cells(row).map((cell) => element("td", { class: "number" }, cell))))));
  }
  draw("counts", () => traceSpec(contents.counts, counted, `Number of ${counted} of every chain after each sweep`, true));
}

function startConvergence() {
  const { level, headline, verdict, table } = contents.convergence;
  const kind = { red: "bad", green: "good", amber: "unknown" }[level];
  fill("verdict", element("span", { class: kind }, headline), " ", element("a", { href: "#convergence-heading" }, "more"));
  fill("convergence-verdict", verdict);
  if (table.length > 0) {
    fill("mixing",
      element("caption", { class: "hidden" }, "Convergence of quantities"),
      element("thead", {}, element("tr", {}, ...COLUMNS.map(([, title]) => element("th", { scope: "col" }, title)))),
      element("tbody", {}, ...table.map((row) => element("tr", {}, ...COLUMNS.map(([name]) =>
        name === "quantity" ? element("th", { scope: "row" }, row[name]) : element("td", { class: "number" }, mixingCell(name, row[name])))))));
  }
  draw("trace", () => traceSpec(contents.convergence, "log posterior", "Log posterior of every chain after each sweep"));
  fill("making", ...contents.making.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}
