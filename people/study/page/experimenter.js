// The experimenter's pages: a table that updates itself, and replays of episodes.
const REFRESH_MS = 3000;
const STEP_MS = 60;
const $ = (id) => document.getElementById(id);

// The token is in the cookie now; in the address it would get into bookmarks and screenshots.
if (new URLSearchParams(location.search).has("token")) history.replaceState(null, "", location.pathname);

async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch("/experimenter/table");
    if (!answer.ok) throw new Error();
    $("table").innerHTML = await answer.text();
    $("live").textContent = `Updates automatically; last at ${new Date().toLocaleTimeString()}`;
  } catch { $("live").textContent = "The server is not responding, or was restarted: use the link that it printed."; }
}
if ($("table")) setInterval(refresh, REFRESH_MS);

async function play(box) {
  const images = [], context = box.querySelector("canvas").getContext("2d");
  let place = 0, running = true, shown = -1, complete = false;

  async function show() {
    const { step, health, reward, image } = images[place];
    shown = place;
    $("place").value = place;
    $("status").textContent = `Step ${step}, health ${Math.ceil(health)}, reward ${reward.toFixed(2)}`;
    const picture = Object.assign(new Image(), { src: image });
    await picture.decode();
    context.drawImage(picture, 0, 0, context.canvas.width, context.canvas.height);
  }
  const set = (run) => { running = run; $("run").textContent = run ? "Pause" : "Play"; };
  $("run").addEventListener("click", () => { if (!running && place >= images.length - 1) place = 0; set(!running); });
  $("place").addEventListener("input", () => { set(false); place = Number($("place").value); });
  setInterval(() => {
    if (running && place < images.length - 1) place += 1;
    else if (running && complete) set(false);
    if (images.length && shown !== place) show();
  }, STEP_MS);

  const answer = await fetch(box.dataset.frames);
  if (!answer.ok) { $("status").textContent = "This episode cannot be drawn."; return; }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    images.push(...lines.map((line) => JSON.parse(line)));
    $("place").max = images.length - 1;
  }
  complete = true;
  box.dataset.pictures = images.length;
}
if ($("replay")) play($("replay")).catch(() => { $("status").textContent = "The replay was interrupted; please reload the page."; });
