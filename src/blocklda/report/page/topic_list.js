// The list of topics, by size or by number, and the heading of the one that is selected.

function stability(topic) {
  const { stable, chain_places } = topics[topic];
  if (stable === null && chain_places.length === 1) return "one chain only: it is not known whether another chain would find it";
  if (stable === null) return "a chain has no draws: it is not known whether it would find it";
  return stable ? "found in every chain" : `found in ${topics[topic].found_in} of ${chain_places.length} chains`;
}

// How different the topic is in the chain that has it most differently.
function howFar(topic) {
  const { distance } = topics[topic];
  return distance === null ? "" : ` (the most different one has ${percent(distance, 0)} of its probability elsewhere)`;
}

function showTopicList() {
  const order = topics.map((_, topic) => topic);
  if (byId("order").value === "size") order.sort((a, b) => topics[b].share[0] - topics[a].share[0] || a - b);
  const largest = Math.max(...topics.map(({ share }) => share[0]));
  const items = order.map((topic) => {
    const { share, stable } = topics[topic];
    const mark = stable === null ? null : element("span", { class: stable ? "stable" : "unstable", role: "img", "aria-label": stability(topic), title: stability(topic) }, stable ? "●" : "◌");
    return element("li", {},
      element("button", { type: "button", "data-topic": topic, onclick: () => selectTopic(topic) },
        element("span", { class: "badge" }, String(topic)),
        element("span", { class: "top-words" }, labels[topic] === "" ? null : element("strong", {}, `${shownWord(labels[topic], 60)} `), topicWords(topic, 6)),
        element("span", { class: "share" }, percent(share[0]), " ", mark),
        element("span", { class: "meter", "aria-hidden": "true", style: { "--part": share[0] / largest } })));
  });
  fill("topics", ...items);
  markButtons(state.topic);
}

// Of all topics Tab comes to the selected one, and the arrow keys go on from there.
function markButtons(topic) {
  for (const button of byId("topics").querySelectorAll("button")) {
    const isIt = Number(button.dataset.topic) === topic;
    button.setAttribute("aria-pressed", String(isIt));
    button.tabIndex = isIt ? 0 : -1;
    // Not scrollIntoView, which would move the page too.
    if (isIt) {
      const list = byId("topics");
      const above = button.offsetTop; // the list is where it is measured from
      if (above < list.scrollTop || above + button.offsetHeight > list.scrollTop + list.clientHeight) {
        list.scrollTop = above - list.clientHeight / 2;
      }
    }
  }
}

function markSelected(topic) {
  markButtons(topic);
  byId("topic-heading").textContent = topicName(topic);
  byId("topic-facts").textContent =
    `${percentWithInterval(topics[topic].share)} of the tokens; ${stability(topic)}${howFar(topic)}.` +
    (topics[topic].stable === false ? " Its words and shares are those of one chain; other chains divide these words differently." : "");
}

// The next topic in the order of the list.
function step(by) {
  const buttons = [...byId("topics").querySelectorAll("button")];
  const at = buttons.findIndex((button) => Number(button.dataset.topic) === state.topic);
  const next = buttons[Math.min(Math.max(at + by, 0), buttons.length - 1)];
  selectTopic(Number(next.dataset.topic));
  return next;
}

function startTopicList() {
  showTopicList();
  byId("order").addEventListener("change", showTopicList);
  byId("topics").addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, Home: -topics.length, End: topics.length }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    step(by).focus();
  });
  whenSelected.push(markSelected);
}
