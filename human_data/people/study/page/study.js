// The pages of a study work without this; with it a form is sent once, and an older window says so.
const EVERY_MS = 3000;
const elsewhere = document.getElementById("elsewhere");

// The cookie lets the person in from now on; their link is not to stay where others see it.
if (location.pathname.startsWith("/return/")) history.replaceState(null, "", "/");

for (const form of document.forms) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "yes";
    // A button that is disabled at once would not send its value.
    setTimeout(() => { for (const button of form.querySelectorAll("button")) button.disabled = true; });
  });
}

// Back in history shows the page as it was left, buttons and all.
addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });

async function look() {
  try {
    const answer = await fetch(`/here?tab=${encodeURIComponent(elsewhere.dataset.tab)}`);
    if (answer.ok && !(await answer.json()).here && !elsewhere.open) elsewhere.showModal();
  } catch { /* The server is away; the next look may find it. */ }
}
if (elsewhere) setInterval(look, EVERY_MS);
