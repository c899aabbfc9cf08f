// Follows what the server pushes. The browser connects again by itself, and gets all once more.
// It keeps six connections to a server at most, so a page that nobody sees gives up its own.

/**
 * Call onMessage with each message; onState with "open", "lost" or "closed".
 *
 * It goes on unseen where the server is to know that the page is still there.
 */
export function follow(address, onMessage, onState = () => {}, { goesOnUnseen = false } = {}) {
  let source = null;
  document.addEventListener("visibilitychange", look);
  look();
  return { close };

  function look() {
    if (document.hidden && !goesOnUnseen) pause();
    else if (!source) open();
  }

  function open() {
    source = new EventSource(address);
    source.addEventListener("open", () => onState("open"));
    source.addEventListener("message", (event) => onMessage(JSON.parse(event.data)));
    source.addEventListener("end", () => {
      close();
      onState("closed");
    });
    source.addEventListener("error", (event) => {
      const isClosed = event.target.readyState === EventSource.CLOSED;
      if (isClosed) close();
      onState(isClosed ? "closed" : "lost");
    });
  }

  function pause() {
    source?.close();
    source = null;
  }

  function close() {
    document.removeEventListener("visibilitychange", look);
    pause();
  }
}
