// Search: which topics hold a word.

const SIMILAR_WORDS = 12;
const numberOf = new Map(words.names.map((name, i) => [name, i]));

function topicsOf(word) {
  const pairs = words.topics[word];
  const rows = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const [topic, share] = [pairs[i], pairs[i + 1] / 1000];
    rows.push(element("li", {},
      element("button", { type: "button", onclick: () => selectTopic(topic) },
        element("span", { class: "badge" }, String(topic)),
        element("span", { class: "top-words" }, topicWords(topic, 4)),
        element("span", { class: "share" }, percent(share, 0)),
        element("span", { class: "meter", "aria-hidden": "true", style: { "--part": share } }))));
  }
  return rows;
}

function showFound(query) {
  const panel = byId("found");
  panel.hidden = query === "";
  if (query === "") return panel.replaceChildren();
  const small = query.toLowerCase();
  const exact = numberOf.get(query) ?? numberOf.get(small);
  const similar = [];
  for (let i = 0; i < words.names.length; i += 1) {
    if (i !== exact && words.names[i].toLowerCase().includes(small)) similar.push(i);
  }
  similar.sort((a, b) => words.counts[b] - words.counts[a] || a - b);
  const missing = contents.n_words > words.names.length
    ? `“${query}” is not among the ${number(words.names.length)} words on this page, of ${number(contents.n_words)} in the corpus.`
    : `“${query}” is not a word of the corpus.`;
  panel.replaceChildren(
    element("h2", {}, exact === undefined ? missing : `“${shownWord(words.names[exact])}”: ${number(words.counts[exact])} tokens, of which these topics have`),
    exact === undefined ? "" : element("ol", { id: "found-topics" }, ...topicsOf(exact)),
    similar.length === 0 ? "" : element("p", { id: "found-words" }, "Words with these letters: ",
      ...similar.slice(0, SIMILAR_WORDS).flatMap((i) => [element("button", { type: "button", class: "word", onclick: () => searchFor(words.names[i]) }, shownWord(words.names[i])), " "])));
  return undefined;
}

function searchFor(word) {
  byId("search").value = word;
  showFound(word);
}

function startSearch() {
  byId("search").addEventListener("input", (event) => showFound(event.target.value.trim()));
  byId("search-form").addEventListener("submit", (event) => event.preventDefault());
}
