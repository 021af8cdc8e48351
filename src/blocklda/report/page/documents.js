// The documents that are most typical of the selected topic, their words coloured by topic.

const COLOURS = 6;
const OPEN_DOCUMENTS = 3;

const documentName = ({ number: n, name }) => (name?.trim() ? shownWord(name, 160) : `document ${n}`);

// Within a document the selected topic has the first colour, its other large topics the next ones.
function coloursOf(row, selected) {
  const others = row.mixture.map(([topic]) => topic).filter((topic) => topic !== selected);
  return new Map([selected, ...others].slice(0, COLOURS).map((topic, i) => [topic, i + 1]));
}

function mixtureBar(row, colours) {
  const parts = row.mixture.filter(([, mean]) => mean >= 0.01).map(([topic, mean, low, high]) =>
    element("button", {
      type: "button", class: `part colour-${colours.get(topic) ?? 0}`, style: { "flex-grow": mean },
      title: `topic ${topic}: ${percentWithInterval([mean, low, high])}; ${topicWords(topic, 4)}`,
      "aria-label": `topic ${topic}, ${percent(mean)}`, onclick: () => { selectTopic(topic); goTo("documents-heading"); },
    }, mean >= 0.06 ? `${topic}` : ""));
  const told = row.mixture.reduce((sum, [, mean]) => sum + mean, 0);
  return element("div", { class: "mixture" }, ...parts, element("span", { class: "part rest", style: { "flex-grow": Math.max(0, 1 - told) } }));
}

function markedWord(text, topic, probability, colours) {
  const made = element("span", { class: `marked colour-${colours.get(topic) ?? 0}`, title: `topic ${topic}, ${probability} %`, style: { "--strength": probability / 100 } }, text);
  made.append(element("sub", {}, String(topic)));
  return made;
}

function textOf(row, colours) {
  const parts = [];
  for (let i = 0; i + 1 < row.text.length; i += 4) {
    const [before, word, topic, probability] = row.text.slice(i, i + 4);
    parts.push(before, markedWord(word, topic, probability, colours));
  }
  parts.push(row.text[row.text.length - 1]);
  return element("p", { class: "text", dir: "auto" }, ...parts, row.is_cut ? " …" : null);
}

function bagOf(row, colours) {
  return element("p", { class: "text" }, ...row.words.flatMap(([word, count, topic, probability]) => {
    const text = count > 1 ? `${shownWord(words.names[word])} ×${count}` : shownWord(words.names[word]);
    return [topic === undefined ? text : markedWord(text, topic, probability, colours), "  "];
  }));
}

function showDocuments(topic) {
  const { of_topics, rows, have_texts } = contents.documents;
  byId("documents-heading").textContent = `Documents most typical of topic ${topic}`;
  const shown = of_topics[topic].map((place, i) => {
    const row = rows[place];
    const colours = coloursOf(row, topic);
    const own = row.mixture.find(([k]) => k === topic);
    return element("li", {},
      element("details", i < OPEN_DOCUMENTS ? { open: true } : {},
        element("summary", {},
          element("strong", {}, documentName(row)), " ",
          element("span", { class: "quiet" }, `${own ? percentWithInterval(own.slice(1)) : "little"} of topic ${topic}, ${number(row.tokens)} tokens`)),
        mixtureBar(row, colours),
        have_texts ? textOf(row, colours) : bagOf(row, colours)));
  });
  fill("documents", ...shown);
}

function startDocuments() {
  const what = contents.documents.have_texts ? "The words of the texts" : "The most frequent words of a document";
  const toggle = element("input", { type: "checkbox", id: "numbers", onchange: (event) => byId("documents").classList.toggle("with-numbers", event.target.checked) });
  fill("documents-note",
    contents.has_draws
      ? `${what} have the colour of their most probable topic; a stronger colour means more certainty. The bar above them shows the topics of the document. `
      : "Words are not coloured, because the model has no draws. ",
    element("label", {}, toggle, " show topic numbers next to words"));
  whenSelected.push(showDocuments);
}
