// Labels that are typed here, and the tables behind the panels as files.

const labels = topics.map(({ label }) => label ?? "");

const topicName = (topic) => (labels[topic] === "" ? `Topic ${topic}` : `${topic} ${shownWord(labels[topic], 60)}`);

function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// A field that a spreadsheet would take for a formula begins with an apostrophe; a number does not.
function csvField(value) {
  const text = value === null || value === undefined ? "" : String(value);
  const isNumber = typeof value !== "string" || /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(text);
  const harmless = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

const csv = (rows) => `${rows.map((row) => row.map(csvField).join(",")).join("\n")}\n`;

const topicRows = () => [
  ["topic", "label", "share", "low", "high", "found_in", "words"],
  ...topics.map(({ share, found_in }, topic) => [topic, labels[topic], ...share, found_in, relevantWords(topic, 1, 10).map(({ word }) => words.names[word]).join(" ")]),
];

const wordRows = () => [
  ["topic", "label", "word", "probability", "low", "high"],
  ...topics.flatMap((_, topic) => relevantWords(topic, 1, topics[topic].words.length).map(({ word, mean, low, high }) => [topic, labels[topic], words.names[word], mean, low, high])),
];

const groupTable = () => [
  ["topic", "label", "group", "documents", "share", "low", "high"],
  ...topics.flatMap((_, topic) => contents.groups.labels.map((label, i) => [topic, labels[topic], label, contents.groups.documents[i], ...groupShare(topic, i)])),
];

// A row for each of the largest topics of a document, for the documents that are typical of topics.
const documentTable = () => [
  ["typical_of", "rank", "document", "name", "tokens", "topic", "label", "share", "low", "high"],
  ...contents.documents.of_topics.flatMap((places, typicalOf) => places.flatMap((place, i) => {
    const { number: n, name, tokens, mixture } = contents.documents.rows[place];
    return mixture.map(([topic, ...share]) => [typicalOf, i + 1, n, name, tokens, topic, labels[topic], ...share]);
  })),
];

const convergenceTable = () => [
  COLUMNS.map(([name]) => name),
  ...contents.convergence.table.map((row) => COLUMNS.map(([name]) => row[name])),
];

const traceTable = () => [
  ["chain", "sweep", "log_posterior"],
  ...contents.convergence.traces.chains.flatMap((values, chain) =>
    values.map((value, i) => [chain, contents.convergence.traces.sweeps[i], value])),
];

const misfitTable = () => [
  ["topic", "label", ...MISFIT_COLUMNS.map(([name]) => name)],
  ...contents.misfit.rows.map((row, topic) => [topic, labels[topic], ...MISFIT_COLUMNS.map(([name]) => row[name])]),
];

function labelsAsJson() {
  const given = Object.fromEntries(labels.map((label, topic) => [topic, label]).filter(([, label]) => label !== ""));
  return `${JSON.stringify(given, null, 1)}\n`;
}

function startDownloads() {
  const field = byId("topic-label");
  field.addEventListener("input", () => {
    labels[state.topic] = field.value.trim().replaceAll(/\s+/g, " ");
    byId("topic-heading").textContent = topicName(state.topic);
    showTopicList();
  });
  whenSelected.push((topic) => {
    field.value = labels[topic];
  });
  const files = {
    "save-labels": () => save("labels.json", "application/json", labelsAsJson()),
    "save-topics": () => save("topics.csv", "text/csv", csv(topicRows())),
    "save-words": () => save("words.csv", "text/csv", csv(wordRows())),
    "save-documents": () => save("documents.csv", "text/csv", csv(documentTable())),
    "save-convergence": () => save("convergence.csv", "text/csv", csv(convergenceTable())),
    "save-trace": () => save("trace.csv", "text/csv", csv(traceTable())),
    "save-misfit": () => save("misfit.csv", "text/csv", csv(misfitTable())),
    "save-groups": () => save("groups.csv", "text/csv", csv(groupTable())),
  };
  for (const [id, write] of Object.entries(files)) byId(id).addEventListener("click", write);
}
