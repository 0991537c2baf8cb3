// What the reference can do besides what it can do without script: copy buttons, and sections that open when a link leads into them.
"use strict";

for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  const source = button.parentElement.querySelector("code");
  button.addEventListener("click", async () => {
    const done = await copied(source);
    button.textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}

// The clipboard is there over TLS and on the own machine only. Elsewhere the text is selected, and the old way tried.
async function copied(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(source);
    return document.execCommand("copy");
  }
}

function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const section = target?.closest("details") ?? target?.querySelector(":scope > details");
  if (section && !section.open) {
    section.open = true;
    target.scrollIntoView();
  }
}

addEventListener("hashchange", reveal);
reveal();
