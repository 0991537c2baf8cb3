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
  const before = [...answer.childNodes];
  const stop = new AbortController();
  const slow = showRunning(answer, () => stop.abort());
  try {
    const response = await fetch(form.action, { method: "POST", headers: { "X-Part": "outcome" }, body, signal: stop.signal });
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
    if (!stop.signal.aborted) return ask.submit();
    answer.replaceChildren(...before);
    ask.elements.email.focus();
    return;
  } finally {
    clearTimeout(slow);
    button.disabled = false;
    button.textContent = "Check";
  }
  answered(answer);
}

// The steps of a check are shown while it runs, with a button to stop waiting. After five seconds it is said that the host is slow.
function showRunning(answer, cancel) {
  answer.replaceChildren(byID("running").content.cloneNode(true));
  answer.querySelector("button").addEventListener("click", cancel);
  const hint = answer.querySelector(".hint");
  return setTimeout(() => { hint.hidden = false; }, 5000);
}

// answered makes a new outcome ready.
function answered(answer) {
  copyButtons(answer);
  foldLong(answer);
  remember(answer.querySelector(".verdict"));
}

// A long dialogue is folded where it would push the rest of the page out of sight.
function foldLong(root) {
  if (matchMedia("(max-width: 900px)").matches) for (const part of root.querySelectorAll("details.long")) part.open = false;
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

// A file is uploaded as soon as it is chosen, or dropped anywhere on the form. A bar shows how much of it has arrived.
function uploadForm(form) {
  const input = form.elements.list;
  const [pick, sending] = [form.querySelector(".pick"), form.querySelector(".sending")];
  const [bar, text, cancel] = ["progress", "p", "button"].map((name) => sending.querySelector(name));
  form.querySelector(".upload").hidden = true;
  form.querySelector(".whendrop").hidden = false;
  const over = (on) => form.classList.toggle("over", on);
  for (const name of ["dragenter", "dragover"]) form.addEventListener(name, (event) => { event.preventDefault(); over(true); });
  form.addEventListener("dragleave", (event) => { if (!form.contains(event.relatedTarget)) over(false); });
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    if (!event.dataTransfer.files.length || pick.hidden) return; // one at a time
    input.files = event.dataTransfer.files;
    upload();
  });
  input.addEventListener("change", () => { if (input.files.length) upload(); });
  form.addEventListener("submit", (event) => { event.preventDefault(); upload(); });
  addEventListener("pageshow", () => ready("")); // also of a page that the browser kept

  function ready(fault) {
    pick.hidden = false;
    sending.hidden = true;
    input.value = "";
    if (fault) {
      const line = element("p", "fault", fault);
      line.id = "list-fault";
      line.setAttribute("role", "alert");
      form.querySelector(".said").replaceChildren(line);
      input.setAttribute("aria-invalid", "true");
      input.focus();
    }
  }

  function upload() {
    const request = new XMLHttpRequest();
    const body = new FormData(form);
    form.querySelector(".said").replaceChildren();
    pick.hidden = true;
    sending.hidden = false;
    bar.value = 0;
    text.textContent = "Uploading " + input.files[0].name;
    cancel.focus();
    cancel.onclick = () => { request.abort(); ready(""); input.focus(); };
    request.upload.onprogress = (event) => {
      bar.value = Math.floor(100 * event.loaded / event.total);
      text.textContent = event.loaded < event.total ? bar.value + "% of " + size(event.total) : "Reading the file …";
    };
    request.onload = () => {
      const next = request.getResponseHeader("Location");
      if (request.status === 201 && next) return location.assign(next);
      if (!request.responseURL.endsWith(form.getAttribute("action"))) return location.reload(); // the session has ended
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      ready((page.querySelector("#list-fault") ?? page.querySelector("main .muted"))?.textContent || "The file was not taken.");
    };
    request.onerror = () => ready("The file did not arrive completely. Try again.");
    request.open("POST", form.action);
    request.setRequestHeader("X-Part", "upload");
    request.send(body);
  }
}

const size = (octets) => octets < 1e6 ? Math.ceil(octets / 1e3) + " kB" : (octets / 1e6).toFixed(octets < 1e7 ? 1 : 0) + " MB";

// The progress of a list replaces the one before, piece by piece: what has the focus stays. The server escaped everything in it. The title shows how far the
// list is, and each tenth and each new state is said once. At the end the page is loaded again, with its rows.
function liveProgress(part) {
  const events = new EventSource(part.dataset.events);
  const fresh = document.createElement("template");
  const stage = () => fresh.content.querySelector("[data-percent]").dataset;
  const shown = {};
  let said = "";
  events.addEventListener("message", (event) => {
    fresh.innerHTML = event.data;
    for (const piece of part.querySelectorAll("[data-live]")) {
      const next = fresh.content.querySelector(`[data-live="${piece.dataset.live}"]`);
      if (!next || next.innerHTML === shown[piece.dataset.live] || piece.contains(document.activeElement)) continue;
      const unfolded = piece.querySelector("details")?.open;
      piece.innerHTML = shown[piece.dataset.live] = next.innerHTML;
      piece.querySelectorAll("time.moment").forEach(localTime);
      if (unfolded) piece.querySelector("details")?.setAttribute("open", "");
    }
    const { percent, state, name } = stage();
    document.title = `${state === "running" ? percent + "%" : state} · ${name} · rcpt`;
    const news = state + Math.floor(percent / 10);
    if (said && news !== said) {
      byID("said").textContent = `${state}, ${percent}%`;
      freshRows();
    }
    said = news;
  });
  events.addEventListener("end", () => { events.close(); location.reload(); });
  addEventListener("pagehide", () => events.close());
}

// The rows of a list are loaded again, unless somebody is at work on them.
async function freshRows() {
  const rows = byID("rows").parentElement;
  const response = await fetch(location.href);
  if (!response.ok || response.redirected || rows.contains(document.activeElement)) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  rows.replaceWith(page.getElementById("rows").parentElement);
}

// Moments are shown in the time of this place, with UTC beside it.
function localTime(moment) {
  const at = new Date(moment.dateTime);
  if (at.getTimezoneOffset() === 0) return;
  const clock = { hour: "2-digit", minute: "2-digit", hour12: false };
  const day = "clock" in moment.dataset ? {} : { day: "numeric", month: "short" };
  const year = "clock" in moment.dataset ? {} : { year: "numeric" };
  const local = at.toLocaleString("en-GB", { ...day, ...year, ...clock });
  const utc = at.toLocaleString("en-GB", { ...(at.getDate() === at.getUTCDate() ? {} : day), ...clock, timeZone: "UTC" });
  moment.textContent = `${local} (${utc} UTC)`;
}

// A list is read again when a menu says so, and can be started when something was chosen.
function readForm(button) {
  const form = button.form;
  for (const menu of form.elements) if ("read" in menu.dataset) menu.addEventListener("change", () => form.requestSubmit(button));
  document.addEventListener("change", (event) => {
    if (event.target.name === "column") document.querySelector(".head .primary").disabled = false;
  });
}

// Where a table is wider than its box, the chosen column is in sight.
function showChosen(box) {
  const column = box.querySelector(".chosen");
  if (column) box.scrollLeft = column.offsetLeft - 64;
}

copyButtons(document);
foldLong(document);
document.querySelectorAll("[data-upload]").forEach(uploadForm);
document.querySelectorAll("[data-events]").forEach(liveProgress);
document.addEventListener("submit", (event) => { if (event.target.dataset.live) checkLive(event, event.target); });
document.querySelectorAll(".themes").forEach(themeForm);
document.querySelectorAll(".chart").forEach(chartTips);
document.querySelectorAll(".filter").forEach(filterForm);
document.querySelectorAll("#read").forEach(readForm);
document.querySelectorAll("time.moment").forEach(localTime);
document.querySelectorAll(".scroll").forEach(showChosen);

if (recent.section) {
  recent.section.querySelector(".head button").addEventListener("click", () => { forgetChecks(); showRecent(); });
  remember(document.querySelector(".verdict"));
  showRecent();
}
if (document.body.classList.contains("alone")) forgetChecks(); // nobody is signed in

// A page that shows a key was the answer to a form. To load it again must not send the form again.
const once = document.querySelector("[data-forget]");
if (once) history.replaceState(null, "", once.dataset.forget);
