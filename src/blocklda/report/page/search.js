// Search: which topics hold a word.

const SIMILAR_WORDS = 12;
const numberOf = new Map(words.names.map((name, i) => [name, i]));

function topicsOf(word) {
  const pairs = words.topics[word];
  const rows = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const [topic, share] = [pairs[i], pairs[i + 1] / 1000];
    rows.push(element("li", {},
      element("button", { type: "button", onclick: () => { selectTopic(topic); goTo("topic-heading"); } },
        element("span", { class: "badge" }, String(topic)),
        element("span", { class: "top-words" }, topicWords(topic, 4)),
        element("span", { class: "share" }, percent(share, 0)),
        element("span", { class: "meter", "aria-hidden": "true", style: { "--part": share } }))));
  }
  return rows;
}

function hideFound() {
  const panel = byId("found");
  if (panel.contains(document.activeElement)) byId("search").focus();
  panel.hidden = true;
  panel.replaceChildren();
  byId("found-said").textContent = "";
}

// What the page knows of a query: the word that it is, if it is one, and words that contain it.
function showFound(query, exact) {
  const panel = byId("found");
  panel.hidden = false;
  const small = query.toLowerCase();
  const similar = [];
  for (let i = 0; i < words.names.length; i += 1) {
    if (small !== "" && i !== exact && words.names[i].toLowerCase().includes(small)) similar.push(i);
  }
  similar.sort((a, b) => words.counts[b] - words.counts[a] || a - b);
  const missing = contents.n_words > words.names.length
    ? `“${shownWord(query)}” is not among the ${number(words.names.length)} words on this page, of ${number(contents.n_words)} in the corpus.`
    : `“${shownWord(query)}” is not a word of the corpus.`;
  const heading = exact === undefined ? missing : `“${shownWord(words.names[exact])}”: ${number(words.counts[exact])} tokens, divided among these topics`;
  panel.replaceChildren(
    element("h2", { id: "found-heading", tabindex: "-1" }, heading),
    exact === undefined ? "" : element("ol", { id: "found-topics" }, ...topicsOf(exact)),
    similar.length === 0 ? "" : element("p", { id: "found-words" }, "Similar words: ",
      ...similar.slice(0, SIMILAR_WORDS).flatMap((i) => [element("button", { type: "button", class: "word", onclick: () => showWord(i) }, shownWord(words.names[i])), " "])));
}

function searchFor(query) {
  if (query === "") return hideFound();
  showFound(query, numberOf.get(query) ?? numberOf.get(query.toLowerCase()));
  // Read out while one types; all the rest of the panel would be too much.
  byId("found-said").textContent = byId("found-heading").textContent;
  return undefined;
}

function endSearch() {
  byId("search").value = "";
  hideFound();
}

// A word was pressed, which may be far from the box where its topics are shown.
function showWord(word) {
  byId("search").value = words.names[word];
  showFound(words.names[word], word);
  goTo("found-heading");
}

function startSearch() {
  byId("search").addEventListener("input", (event) => searchFor(event.target.value.trim()));
  byId("search-form").addEventListener("submit", (event) => event.preventDefault());
}
