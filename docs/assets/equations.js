// Without a font for mathematics, browsers leave some subscripts on the baseline: lower those.
for (const pair of document.querySelectorAll("math msub")) {
  const [base, script] = [pair.firstElementChild, pair.lastElementChild];
  if (script.getBoundingClientRect().bottom <= base.getBoundingClientRect().bottom + 1) {
    script.style.position = "relative";
    script.style.top = "0.35em";
  }
}
