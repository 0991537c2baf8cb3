// What pages can do besides what they can do without script.
"use strict";

const byID = (id) => document.getElementById(id);

// Copy buttons are hidden until there is somebody to press them for.
function copyButtons(root) {
  for (const button of root.querySelectorAll(".copy")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(byID(button.dataset.copy), button.querySelector("span")));
  }
}

async function copy(source, label) {
  const before = label.textContent;
  label.textContent = (await copied(source)) ? "Copied" : "Press Ctrl+C";
  setTimeout(() => { label.textContent = before; }, 2000);
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

// The outcome of a check replaces the one before, without a new page. The form at the top shows what is checked, whichever form asks for it.
async function checkLive(event, form) {
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, event.submitter));
  const ask = document.querySelector(".ask");
  const button = ask.querySelector("button");
  const answer = byID(form.dataset.live);
  if (button.disabled) return; // one at a time
  ask.elements.email.value = body.get("email");
  button.disabled = true;
  button.textContent = "Checking …";
  answer.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(form.action, { method: "POST", headers: { "X-Part": "outcome" }, body });
    if (response.redirected || !response.headers.get("X-Part")) {
      ask.submit(); // the session has ended, or something else needs a page of its own
      return;
    }
    // The server escaped everything in it, and the page's policy runs no script from it.
    answer.innerHTML = await response.text();
    byID("fault")?.remove();
    byID("email-fault")?.remove();
    ask.elements.email.toggleAttribute("aria-invalid", false);
    if (response.status === 422) ask.elements.email.setAttribute("aria-invalid", "true");
  } catch {
    ask.submit();
    return;
  } finally {
    button.disabled = false;
    button.textContent = "Check";
    answer.removeAttribute("aria-busy");
  }
  answered(answer);
}

// answered makes a new outcome ready.
function answered(answer) {
  copyButtons(answer);
  remember(answer.querySelector(".verdict"));
}

// The last checks are kept by the browser and told to nobody: they end with the session, at the page to sign in.
const recent = { key: "rcpt checks", most: 10, section: byID("recent") };

function recentChecks() {
  try {
    const all = JSON.parse(localStorage.getItem(recent.key));
    return Array.isArray(all) ? all.filter((check) => typeof check?.email === "string").slice(0, recent.most) : [];
  } catch {
    return []; // there is no storage, or something else in it
  }
}

function remember(verdict) {
  if (!verdict) return;
  const { email, result, tone, reason } = verdict.dataset;
  const all = [{ email, result, tone, reason }, ...recentChecks().filter((check) => check.email !== email)].slice(0, recent.most);
  try {
    localStorage.setItem(recent.key, JSON.stringify(all));
  } catch {
    return; // there is no room, or it is forbidden
  }
  showRecent();
}

function forgetChecks() {
  try {
    localStorage.removeItem(recent.key);
  } catch {
    // there is none to forget
  }
}

function showRecent() {
  const all = recentChecks();
  recent.section.hidden = all.length === 0;
  recent.section.querySelector("ul").replaceChildren(...all.map((check) => {
    const line = document.createElement("li");
    const button = element("button", "link", check.email);
    button.name = "email";
    button.value = check.email;
    const tone = ["good", "bad", "warn"].includes(check.tone) ? check.tone : "calm";
    line.append(button, element("span", "pill " + tone, check.result), element("span", "muted", check.reason));
    return line;
  }));
}

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

// The choice of a theme works at once.
function themeForm(form) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const chosen = event.submitter;
    const body = new URLSearchParams(new FormData(form));
    body.set("theme", chosen.value);
    document.documentElement.dataset.theme = chosen.value;
    for (const button of document.querySelectorAll(".themes button")) {
      button.setAttribute("aria-pressed", String(button.value === chosen.value));
    }
    await fetch(form.action, { method: "POST", body, redirect: "manual" });
  });
}

// What a bar of a chart stands for is shown beside the pointer.
function chartTips(chart) {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  chart.append(tip);
  for (const bar of chart.querySelectorAll("[data-tip]")) {
    bar.querySelector("title").remove(); // the browser would show it as well
    bar.addEventListener("pointerenter", () => {
      const box = chart.getBoundingClientRect();
      const room = bar.getBoundingClientRect();
      tip.textContent = bar.dataset.tip;
      tip.hidden = false;
      const middle = room.left - box.left + room.width / 2 - tip.offsetWidth / 2;
      tip.style.left = Math.max(0, Math.min(middle, box.width - tip.offsetWidth)) + "px";
    });
    bar.addEventListener("pointerleave", () => { tip.hidden = true; });
  }
}

// A choice is shown at once.
function filterForm(form) {
  const button = form.querySelector("button");
  if (!form.querySelector("input")) button.hidden = true; // what is typed needs it
  form.addEventListener("change", (event) => { if (event.target.matches("select")) form.submit(); });
}

// A file can be dropped anywhere on the form, and is sent as soon as it is chosen.
function dropForm(form) {
  const input = form.elements.list;
  form.querySelector(".whendrop").hidden = false;
  const over = (on) => form.classList.toggle("over", on);
  for (const name of ["dragenter", "dragover"]) form.addEventListener(name, (event) => { event.preventDefault(); over(true); });
  form.addEventListener("dragleave", (event) => { if (!form.contains(event.relatedTarget)) over(false); });
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    if (!event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    form.requestSubmit();
  });
  form.addEventListener("submit", () => {
    const button = form.querySelector("button");
    button.textContent = "Sending …";
    button.disabled = true;
  });
  addEventListener("pageshow", () => { // also of a page that the browser kept
    const button = form.querySelector("button");
    button.textContent = "Send";
    button.disabled = false;
  });
}

// The progress of a list replaces the one before. The server escaped everything in it. At the end the page is loaded again, with its rows.
function liveProgress(part) {
  const events = new EventSource(part.dataset.events);
  events.addEventListener("message", (event) => {
    const unfolded = part.querySelector("details")?.open;
    part.innerHTML = event.data;
    if (unfolded) part.querySelector("details")?.setAttribute("open", "");
  });
  events.addEventListener("end", () => { events.close(); location.reload(); });
  addEventListener("pagehide", () => events.close());
}

copyButtons(document);
document.querySelectorAll("[data-drop]").forEach(dropForm);
document.querySelectorAll("[data-events]").forEach(liveProgress);
document.addEventListener("submit", (event) => { if (event.target.dataset.live) checkLive(event, event.target); });
document.querySelectorAll(".themes").forEach(themeForm);
document.querySelectorAll(".chart").forEach(chartTips);
document.querySelectorAll(".filter").forEach(filterForm);

if (recent.section) {
  recent.section.querySelector(".head button").addEventListener("click", () => { forgetChecks(); showRecent(); });
  remember(document.querySelector(".verdict"));
  showRecent();
}
if (document.body.classList.contains("alone")) forgetChecks(); // nobody is signed in

// A page that shows a key was the answer to a form. To load it again must not send the form again.
const once = document.querySelector("[data-forget]");
if (once) history.replaceState(null, "", once.dataset.forget);
