// Clocks that count down, by the server's time.

import { decimal, element, setText } from "./dom.js";

/** A clock: show(end, total) in milliseconds since 1970, stop(left) in seconds. */
export class Countdown {
  constructor(container, label) {
    this.time = element("div", { class: "time", role: "timer" }, "–");
    this.bar = element("progress", { max: "1", value: "0", "aria-label": label });
    this.label = element("div", { class: "soft small" }, label);
    this.box = container;
    container.classList.add("clock");
    container.replaceChildren(this.label, this.time, this.bar);
    this.end = null;
    this.offset = 0;
    this.timer = null; // runs while it counts down
  }

  /** Count down to a moment; offset is the reader's clock less the server's. */
  show(end, seconds, offset = 0) {
    [this.end, this.seconds, this.offset] = [end, seconds, offset];
    this.box.classList.remove("stopped");
    this.timer ??= setInterval(() => this.#draw(), 100);
    this.#draw();
  }

  /** Stand still, at so many seconds. */
  stop(left = null) {
    this.end = null;
    clearInterval(this.timer);
    this.timer = null;
    this.box.classList.add("stopped");
    this.box.classList.remove("low");
    if (left !== null) setText(this.time, formatted(left));
  }

  /** Say what the clock is of. */
  name(label) {
    setText(this.label, label);
    this.bar.setAttribute("aria-label", label);
  }

  #draw() {
    const left = Math.max(0, (this.end + this.offset - Date.now()) / 1000);
    setText(this.time, formatted(left));
    this.bar.value = this.seconds ? Math.min(1, left / this.seconds) : 0;
    this.box.classList.toggle("low", left < Math.min(3, this.seconds / 4));
  }
}

function formatted(seconds) {
  if (seconds < 60) return `${decimal(seconds, 1)} s`;
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
