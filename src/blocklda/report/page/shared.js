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

// Moves to a place of the page, with the keyboard too: what was pressed may be gone by then.
function goTo(id, block = "nearest") {
  byId(id).focus({ preventScroll: true });
  byId(id).scrollIntoView({ block });
}

const intervalName = `${Number((100 * contents.interval).toPrecision(8))} % interval`;

function percent(share, digits = 1) {
  if (share === null || share === undefined) return "–";
  const finest = Math.max(digits, 1);
  if (share > 0 && 100 * share < 0.1 ** finest) return `< ${(0.1 ** finest).toFixed(finest)} %`;
  return `${(100 * share).toFixed(100 * share < 10 ? finest : digits)} %`;
}

function percentWithInterval([mean, low, high]) {
  if (low === null || low === undefined) return percent(mean);
  return `${percent(mean)} (${percent(low)} to ${percent(high)})`;
}

const number = (value) => value.toLocaleString("en");

// A word that is not printable, empty or very long is still to be seen and pressed.
function shownWord(word, longest = 40) {
  if (/^[\s\p{C}\p{Z}]*$/u.test(word)) return "␣";
  if (word.length <= longest) return word;
  // By code points, so that no character is cut in two.
  return `${[...word.slice(0, 2 * longest)].slice(0, longest - 1).join("")}…`;
}

// Words that are written from right to left stay between their commas.
const TURNS = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;
const isolated = (word) => (TURNS.test(word) ? `\u2068${word}\u2069` : word);

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
  return relevantWords(topic, LIST_WEIGHT, n).map(({ word }) => isolated(shownWord(words.names[word]))).join(", ");
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
