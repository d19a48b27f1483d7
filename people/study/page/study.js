// The pages work without this script; with it a form is sent only once, and an older window says so.
import { canSpeak, say } from "./speech.js";

const CHECK_MS = 3000;
const elsewhere = document.getElementById("elsewhere");

// The cookie identifies the participant from now on; their link should not stay where others see it.
if (location.pathname.startsWith("/return/")) history.replaceState(null, "", "/");

const speak = document.getElementById("speak");
if (speak && canSpeak) {
  speak.parentElement.hidden = false;
  speak.addEventListener("click", () => say(document.querySelector(".sheet").innerText));
}

for (const form of document.forms) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "yes";
    // The value of a button that is disabled immediately would not be sent.
    setTimeout(() => { for (const button of form.querySelectorAll("button")) button.disabled = true; });
  });
}

// The back button shows the page as it was left, with its buttons disabled.
addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });

async function check() {
  try {
    const answer = await fetch(`/here?tab=${encodeURIComponent(elsewhere.dataset.tab)}`);
    if (answer.ok && !(await answer.json()).here && !elsewhere.open) elsewhere.showModal();
  } catch { /* The server is not responding; try again at the next interval. */ }
}
if (elsewhere) setInterval(check, CHECK_MS);
