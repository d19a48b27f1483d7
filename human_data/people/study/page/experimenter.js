// The experimenter's pages: a table that keeps itself up to date, and films of episodes.
const EVERY_MS = 3000;
const STEP_MS = 60;
const HEADER_BYTES = 16;
const $ = (id) => document.getElementById(id);

// The token is in the cookie now; out of the address it is in no bookmark or picture of the screen.
if (new URLSearchParams(location.search).has("token")) history.replaceState(null, "", location.pathname);

async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch("/experimenter/table");
    if (!answer.ok) throw new Error();
    $("table").innerHTML = await answer.text();
    $("live").textContent = `Kept up to date; last at ${new Date().toLocaleTimeString()}`;
  } catch { $("live").textContent = "The server does not answer, or was started anew: use the link that it printed."; }
}
if ($("table")) setInterval(refresh, EVERY_MS);

// A film comes as one stream: header (bytes of the picture, step, health, reward), picture, header, picture ...

async function play(box) {
  const pictures = [], canvas = box.querySelector("canvas"), context = canvas.getContext("2d");
  let place = 0, running = true, shown = -1;

  async function show() {
    const { step, health, reward, jpeg } = pictures[place];
    shown = place;
    $("place").value = place;
    $("told").textContent = `Step ${step}, health ${Math.ceil(health)}, reward ${reward.toFixed(2)}`;
    const bitmap = await createImageBitmap(new Blob([jpeg], { type: "image/jpeg" }));
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
  }
  const set = (run) => { running = run; $("run").textContent = run ? "Pause" : "Play"; };
  $("run").addEventListener("click", () => { if (!running && place >= pictures.length - 1) place = 0; set(!running); });
  $("place").addEventListener("input", () => { set(false); place = Number($("place").value); });
  let complete = false;
  setInterval(() => {
    if (running && place < pictures.length - 1) place += 1;
    else if (running && complete) set(false);
    if (pictures.length && shown !== place) show();
  }, STEP_MS);

  const answer = await fetch(box.dataset.frames);
  if (!answer.ok) { $("told").textContent = "This episode cannot be drawn."; return; }
  let rest = new Uint8Array();
  for (const reader = answer.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    const joined = new Uint8Array(rest.length + value.length);
    joined.set(rest); joined.set(value, rest.length);
    rest = joined;
    for (;;) {
      if (rest.length < HEADER_BYTES) break;
      const head = new DataView(rest.buffer, rest.byteOffset), size = head.getUint32(0, true);
      if (rest.length < HEADER_BYTES + size) break;
      pictures.push({
        step: head.getUint32(4, true), health: head.getFloat32(8, true), reward: head.getFloat32(12, true),
        jpeg: rest.slice(HEADER_BYTES, HEADER_BYTES + size),
      });
      rest = rest.subarray(HEADER_BYTES + size);
      $("place").max = pictures.length - 1;
    }
  }
  complete = true;
  box.dataset.pictures = pictures.length;
}
if ($("replay")) play($("replay")).catch(() => { $("told").textContent = "The film broke off; load the page again."; });
