// Keeps an open page current. Everything works without it, by reloading.
"use strict";

// The key comes behind the # and goes out of the address bar at once.
const enter = document.getElementById("enter");
if (enter && location.hash.length > 1) {
  document.getElementById("key").value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
  enter.submit();
}

const main = document.querySelector("main[data-events]");
if (main) {
  let busy = false;
  let again = false;

  const isTyping = (part) => [...part.querySelectorAll("input:not([type=hidden])")].some((input) => input.value !== "");

  const swap = (old, fresh) => {
    if (old.innerHTML === fresh.innerHTML) return;
    // Somebody who is writing an answer is not interrupted, unless what it answers is gone.
    if (isTyping(old) && fresh.querySelectorAll("form").length >= old.querySelectorAll("form").length) return;
    for (const open of old.querySelectorAll("details")) {
      const same = fresh.querySelector(`details[id="${CSS.escape(open.id)}"]`);
      if (same) same.open = open.open;
    }
    old.replaceChildren(...fresh.childNodes);
  };

  // The picture changes when the new one is there, so that nothing flickers.
  const repaint = (old, fresh) => {
    const [before, after] = [old.querySelector("img"), fresh.querySelector("img")];
    if (!before || !after) return swap(old, fresh);
    if (before.getAttribute("src") === after.getAttribute("src")) return;
    const next = new Image();
    next.onload = () => before.replaceWith(after);
    next.src = after.getAttribute("src");
  };

  const refresh = async () => {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    try {
      const answer = await fetch(location.href, { credentials: "same-origin" });
      if (answer.status === 401) return location.reload();
      // The session is over.
      if (answer.status === 404) return location.replace(document.querySelector("h1 a")?.href ?? location.href);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      document.title = page.title;
      for (const old of document.querySelectorAll("[data-live]")) {
        const fresh = page.getElementById(old.id);
        if (fresh) (old.id === "picture" ? repaint : swap)(old, fresh);
      }
      document.body.classList.remove("off");
    } catch {
      document.body.classList.add("off");
    } finally {
      busy = false;
      if (again) {
        again = false;
        refresh();
      }
    }
  };

  const events = new EventSource(main.dataset.events);
  events.addEventListener("changed", refresh);
  events.addEventListener("open", refresh);
  events.addEventListener("error", () => document.body.classList.add("off"));

  setInterval(() => {
    for (const left of document.querySelectorAll("[data-left]")) {
      const seconds = Math.max(0, Number(left.dataset.left) - 1);
      left.dataset.left = String(seconds);
      left.textContent = `${seconds} s`;
    }
  }, 1000);
}
