// Follows what the server pushes. The browser connects again by itself, and gets all once more.

/** Call onMessage with each message; onState with "open", "lost" or "closed". */
export function follow(address, onMessage, onState = () => {}) {
  const source = new EventSource(address);
  source.addEventListener("open", () => onState("open"));
  source.addEventListener("message", (event) => onMessage(JSON.parse(event.data)));
  source.addEventListener("end", () => {
    source.close();
    onState("closed");
  });
  source.addEventListener("error", () => {
    onState(source.readyState === EventSource.CLOSED ? "closed" : "lost");
  });
  return source;
}
