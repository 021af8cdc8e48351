// Starts the page: every part shows itself, then a topic is selected.

function startTheme() {
  const button = byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  button.setAttribute("aria-pressed", String(isDark()));
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    button.setAttribute("aria-pressed", String(isDark()));
    redrawAll();
  });
  system.addEventListener("change", redrawAll);
}

function startKeys() {
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input[type=search], select, textarea");
    if (event.key === "Escape") {
      searchFor("");
    } else if (!isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      if (event.key === "/") {
        event.preventDefault();
        byId("search").focus();
      } else if (event.key === "j" || event.key === "k") {
        step(event.key === "j" ? 1 : -1);
      }
    }
  });
}

function firstTopic() {
  const asked = /^#topic=(\d+)$/.exec(location.hash);
  if (asked && Number(asked[1]) < topics.length) return Number(asked[1]);
  return topics.reduce((best, { share }, topic) => (share[0] > topics[best].share[0] ? topic : best), 0);
}

byId("title").textContent = contents.title;
byId("corpus").textContent = contents.making[0][1];
state.topic = firstTopic();
startTheme();
startTopicList();
startWordList();
startDocuments();
startGroups();
startSearch();
startConvergence();
startKeys();
drawMap();
selectTopic(state.topic);

let width = innerWidth;
addEventListener("resize", () => {
  // Phones say so too when only the height changes, because a bar moved out of sight.
  if (innerWidth !== width) {
    width = innerWidth;
    draw("map", mapSpec, drawn.get("map").whenReady);
  }
});
addEventListener("hashchange", () => selectTopic(firstTopic()));
