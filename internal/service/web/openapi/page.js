// What the viewer of the contract is told by this page: the look, where to send requests, and the anchors that other pages link to.
"use strict";

const viewer = document.querySelector("rapi-doc");
viewer.setAttribute("server-url", location.origin); // so that a key goes nowhere else; the policy of the page allows nothing else

const looks = {
  light: { "bg-color": "#ffffff", "text-color": "#14181f", "primary-color": "#3257d6", "nav-bg-color": "#f6f7f9", "nav-text-color": "#565f6d", "nav-hover-bg-color": "#e3e6eb", "nav-hover-text-color": "#14181f", "nav-accent-color": "#3257d6" },
  dark: { "bg-color": "#171b22", "text-color": "#e8ebf0", "primary-color": "#8ba6ff", "nav-bg-color": "#0f1217", "nav-text-color": "#a0a9b8", "nav-hover-bg-color": "#2a303a", "nav-hover-text-color": "#e8ebf0", "nav-accent-color": "#8ba6ff" },
};
const dark = matchMedia("(prefers-color-scheme: dark)");

function dress() {
  const theme = document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
  viewer.setAttribute("theme", theme);
  for (const [name, colour] of Object.entries(looks[theme])) {
    viewer.setAttribute(name, colour);
  }
}
dark.addEventListener("change", dress);
dress();

// Links lead to names of operations and objects; the viewer has names of its own for them.
const anchors = JSON.parse(viewer.dataset.anchors);

function translate() {
  const there = anchors[decodeURIComponent(location.hash.slice(1))];
  if (there === undefined) {
    return;
  }
  history.replaceState(null, "", "#" + there);
  viewer.scrollToPath?.(there);
}
addEventListener("hashchange", translate, true);
translate();

// The viewer knows most of OpenAPI 3.1, but neither the media type of a file nor x-enumDescriptions. HEAD is a remark on GET.
function adapted(part) {
  if (typeof part !== "object" || part === null) {
    return part;
  }
  const copy = Array.isArray(part) ? part.map(adapted) : Object.fromEntries(Object.entries(part).map(([name, value]) => [name, adapted(value)]));
  if (copy.contentMediaType === "application/octet-stream") {
    copy.format = "binary";
  }
  if (copy["x-enumDescriptions"] !== undefined) {
    const words = Object.entries(copy["x-enumDescriptions"]).map(([word, meaning]) => `- \`${word}\`: ${meaning}`);
    copy.description = (copy.description ?? "One of these:") + "\n\n" + words.join("\n");
  }
  if (copy.get !== undefined) {
    delete copy.head;
  }
  return copy;
}

// What the viewer lacks: on a narrow page it hides its contents, and in narrow tables the descriptions.
function styled(text) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
}
const ofPage = styled(`
  .nav-bar { line-height: 1.4; }
  @container (max-width: 767px) {
    .body { flex-direction: column; }
    .nav-bar { display: flex; width: 100%; max-height: 40vh; border-bottom: 1px solid var(--border-color); }
    .main-content { padding: 16px; }
    .expanded-endpoint-body > [style*="position:absolute"] { position: static !important; margin-bottom: 16px; }
    .expanded-endpoint-body > [style*="position:absolute"] > div { min-width: 0 !important; flex-wrap: wrap; justify-content: start !important; }
  }
`);
const ofTable = styled(`
  :host { display: block; }
  @container (max-width: 499px) {
    .tr.primitive, .tr:has(> .key-descr) { flex-wrap: wrap; }
    .table .key { width: 55%; }
    .tr > .key-descr { display: block; width: 100%; padding: 0 0 8px 16px; }
  }
`);

customElements.whenDefined("rapi-doc").then(async () => {
  viewer.shadowRoot.adoptedStyleSheets.push(ofPage);
  customElements.get("schema-table").elementStyles.push(ofTable);
  const contract = await (await fetch("/openapi.json")).json();
  viewer.loadSpec(adapted(contract));
});

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
