// What all parts of the page share: the contents, elements made of text, numbers in words.

const contents = JSON.parse(document.getElementById("contents").textContent);
const topics = contents.topics;
const words = contents.words;

const byId = (id) => document.getElementById(id);

// Children that are strings become text, never HTML: the corpus may hold anything.
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, one] of Object.entries(value)) made.style.setProperty(key, one);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function fill(id, ...children) {
  byId(id).replaceChildren(...children);
}

const intervalName = `${Number((100 * contents.interval).toPrecision(4))} % interval`;

function percent(share, digits = 1) {
  if (share === null || share === undefined) return "–";
  if (share > 0 && 100 * share < 0.1) return "< 0.1 %";
  return `${(100 * share).toFixed(100 * share < 10 ? Math.max(digits, 1) : digits)} %`;
}

function percentWithInterval([mean, low, high]) {
  if (low === null || low === undefined) return percent(mean);
  return `${percent(mean)} (${percent(low)} to ${percent(high)})`;
}

const number = (value) => value.toLocaleString("en");

// A word that is not printable, empty or very long is still to be seen and pressed.
function shownWord(word) {
  const text = word.trim() === "" ? "␣" : word;
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

// The words of a topic by relevance, λ log φ + (1 − λ) log(φ / p), up to a constant.
function relevantWords(topic, weight, n) {
  const { words: numbers, probabilities } = topics[topic];
  const level = numbers.map((word, i) => Math.log(probabilities[0][i]) - (1 - weight) * Math.log(words.counts[word]));
  const order = numbers.map((_, i) => i).sort((a, b) => level[b] - level[a] || numbers[a] - numbers[b]);
  return order.slice(0, n).map((i) => ({
    word: numbers[i],
    mean: probabilities[0][i],
    low: probabilities[1]?.[i] ?? null,
    high: probabilities[2]?.[i] ?? null,
  }));
}

const LIST_WEIGHT = 0.6;

function topicWords(topic, n) {
  return relevantWords(topic, LIST_WEIGHT, n).map(({ word }) => shownWord(words.names[word])).join(", ");
}

// One topic is selected; whoever shows something of it is told.
const state = { topic: 0, weight: LIST_WEIGHT };
const whenSelected = [];

function selectTopic(topic) {
  state.topic = topic;
  try {
    history.replaceState(null, "", `#topic=${topic}`);
  } catch {
    // A frame in a notebook has no address of its own.
  }
  for (const show of whenSelected) show(topic);
}
