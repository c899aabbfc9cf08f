// Clocks that count down, by the server's time.

import { decimal, element, setText } from "./dom.js";

const LOW = 10; // seconds

/** A clock; onLow is called once whenever little is left. It is read when one looks for it only. */
export class Countdown {
  constructor(container, label, onLow = () => {}) {
    this.time = element("div", { class: "time", role: "timer" }, "–");
    this.bar = element("progress", { max: "1", value: "0", "aria-hidden": "true" });
    this.label = element("div", { class: "soft small" });
    this.box = container;
    this.onLow = onLow;
    container.classList.add("clock");
    container.replaceChildren(this.label, this.time, this.bar);
    this.name(label);
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

  /** Stand still, at so many of all seconds. */
  stop(left, seconds = this.seconds) {
    this.end = null;
    this.seconds = seconds;
    clearInterval(this.timer);
    this.timer = null;
    this.box.classList.add("stopped");
    this.box.classList.remove("low");
    if (left !== undefined) this.#put(left);
  }

  /** Say what the clock is of. */
  name(label) {
    setText(this.label, label);
    this.time.setAttribute("aria-label", label);
  }

  #draw() {
    const left = Math.max(0, (this.end + this.offset - Date.now()) / 1000);
    const isLow = left < Math.min(LOW, this.seconds / 4);
    if (isLow && !this.box.classList.contains("low")) this.onLow();
    this.box.classList.toggle("low", isLow);
    this.#put(left);
  }

  #put(left) {
    setText(this.time, formatted(left));
    this.bar.value = this.seconds ? Math.min(1, left / this.seconds) : 0;
  }
}

function formatted(seconds) {
  if (seconds < 60) return `${decimal(seconds, 1)} s`;
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
