// Starts the page: every part shows itself, then a topic is selected.

function startTheme() {
  const button = byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => button.setAttribute("aria-pressed", String(isDark()));
  show();
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    show();
  });
  system.addEventListener("change", show);
}

// Links within the page: in a frame of a notebook their addresses would be those of the notebook.
function startLinks() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link === null) return;
    event.preventDefault();
    goTo(link.getAttribute("href").slice(1), "start");
  });
}

function startKeys() {
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input[type=search], input[type=text], select, textarea");
    if (event.key === "Escape") {
      endSearch();
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

// The topic that the address names, if it is one.
function askedTopic() {
  const asked = /^#topic=(\d+)$/.exec(location.hash);
  return asked && Number(asked[1]) < topics.length ? Number(asked[1]) : null;
}

function largestTopic() {
  return topics.reduce((best, { share }, topic) => (share[0] > topics[best].share[0] ? topic : best), 0);
}

byId("title").textContent = contents.title;
byId("corpus").textContent = contents.making[0][1];
state.topic = askedTopic() ?? largestTopic();
startTheme();
startLinks();
startTopicList();
startWordList();
startDocuments();
startGroups();
startSearch();
startConvergence();
startMisfit();
startDownloads();
startKeys();
startMap();
selectTopic(state.topic);

let width = innerWidth;
addEventListener("resize", () => {
  // Phones say so too when only the height changes, because a bar moved out of sight.
  if (innerWidth !== width) {
    width = innerWidth;
    drawMap();
    drawGroups();
  }
});
addEventListener("hashchange", () => {
  const asked = askedTopic();
  if (asked !== null) selectTopic(asked);
});
