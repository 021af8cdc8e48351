// The words of the selected topic, with the slider between probability and distinctiveness.

const WORDS_SHOWN = 20;

function showWords(topic) {
  byId("weight-value").textContent = state.weight.toFixed(2);
  const shown = relevantWords(topic, state.weight, WORDS_SHOWN);
  const widest = Math.max(...shown.map(({ mean, high }) => Math.max(mean, high ?? 0)));
  const rows = shown.map(({ word, mean, low, high }) => {
    const bar = element("span", { class: "bar-mean", style: { "--to": mean / widest } });
    const whisker = low === null ? null : element("span", { class: "whisker", style: { "--from": low / widest, "--to": high / widest } });
    const told = low === null ? null : element("span", { class: "hidden" }, `${percent(low, 2)} to ${percent(high, 2)}`);
    return element("tr", { title: `${percentWithInterval([mean, low, high])} of the topic; ${number(words.counts[word])} times in the corpus` },
      element("th", { scope: "row" }, element("button", { type: "button", class: "word", onclick: () => showWord(word) }, shownWord(words.names[word]))),
      element("td", { class: "bars" }, element("span", { class: "track" }, bar, whisker, told)),
      element("td", { class: "number" }, percent(mean, 2)));
  });
  byId("words").tBodies[0].replaceChildren(...rows);
}

function startWordList() {
  byId("weight").addEventListener("input", (event) => {
    state.weight = Number(event.target.value);
    showWords(state.topic);
  });
  byId("words-note").textContent = contents.has_draws
    ? `Bars are posterior means, and the lines on them show the ${intervalName}. Press a word to see all its topics.`
    : "There are no intervals, because the model has no draws. Press a word to see all its topics.";
  whenSelected.push(showWords);
}
