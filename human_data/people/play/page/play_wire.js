// The connection: JSON text both ways, and pictures as binary. The messages are those of messages.py.
const PROTOCOL = 1;
const LONGEST_WAIT_MS = 5000;
const WITHOUT_TRIAL = ["hello", "pong", "ack"];
let socket, sent, about, waits = 500;

export function say(type, values = {}) {
  if (socket?.readyState !== WebSocket.OPEN) return;
  const trial = WITHOUT_TRIAL.includes(type) ? {} : { trial: about };
  socket.send(JSON.stringify({ type, n: ++sent, ...trial, ...values }));
}

// What is said from now on is about this trial.
export function speakOf(trial) { about = trial; }

// `hear` takes a message, `see` a picture and how to acknowledge it, `lose` why the connection was closed.
export function connect({ hear, see, lose }) {
  sent = 0;
  const mine = socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/play/socket`);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => { waits = 500; say("hello", { protocol: PROTOCOL }); };
  socket.onmessage = ({ data }) => {
    if (typeof data === "string") hear(JSON.parse(data));
    else see(data, (frame) => { if (socket === mine) say("ack", { frame }); });
  };
  socket.onclose = ({ code, reason }) => lose(code, reason);
}

export function connectLater(ears) {
  setTimeout(connect, waits, ears);
  waits = Math.min(2 * waits, LONGEST_WAIT_MS);
}
