// The connection: JSON text in both directions, and images as binary data. See page_protocol.py.
const PROTOCOL = 3;
const MAX_WAIT_MS = 5000;
const WITHOUT_TRIAL = ["hello", "pong", "ack"];
let socket, sent, currentTrial, wait = 500;

export function send(type, values = {}) {
  if (socket?.readyState !== WebSocket.OPEN) return;
  const trial = WITHOUT_TRIAL.includes(type) ? {} : { trial: currentTrial };
  socket.send(JSON.stringify({ type, n: ++sent, ...trial, ...values }));
}

// Messages from now on belong to this trial.
export function setTrial(trial) { currentTrial = trial; }

// `onMessage` gets a message, `onImage` an image and how to acknowledge it, `onClose` why the connection was closed.
export function connect(handlers) {
  const { onMessage, onImage, onClose } = handlers;
  sent = 0;
  const mine = socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/play/socket`);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => { wait = 500; send("hello", { protocol: PROTOCOL }); };
  socket.onmessage = ({ data }) => {
    if (typeof data === "string") onMessage(JSON.parse(data));
    else onImage(data, (frame) => { if (socket === mine) send("ack", { frame }); });
  };
  socket.onclose = ({ code, reason }) => onClose(code, reason);
}

export function reconnectLater(handlers) {
  setTimeout(connect, wait, handlers);
  wait = Math.min(2 * wait, MAX_WAIT_MS);
}
