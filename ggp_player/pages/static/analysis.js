// Analyses the position that is shown: the server searches, and tells what it finds.

import { address, byId, post, setText } from "./dom.js";
import { follow } from "./stream.js";
import { ThoughtsPanel } from "./thoughts.js";

export class Analysis {
  /** onPlaces() follows each change of the line on the board, onMove(move) a click on a move. */
  constructor(match, { onPlaces, onMove }) {
    this.path = `/archive/${match}/analyses`;
    this.onPlaces = onPlaces;
    this.here = { step: 0, line: "" };
    this.key = null;
    this.source = null;
    this.found = null;
    this.panel = new ThoughtsPanel(byId("analysis"), { onMove });
    byId("analyse").addEventListener("click", () => (this.key ? this.end() : this.begin()));
    byId("strategy").addEventListener("change", () => this.#beginAnew());
  }

  /** Begin to analyse what is shown. */
  async begin() {
    this.#say("The search is being prepared.");
    const asked = this.here;
    try {
      const { key } = await post(this.path, { ...asked, strategy: byId("strategy").value });
      this.#show(key);
      this.source = follow(address(`${this.path}/${key}/events`), (message) => this.#update(key, message), (state) => {
        if (state !== "open" && this.key === key) this.#show(null);
      }, { goesOnUnseen: true }); // the search ends with it
      if (this.here !== asked) await this.#lead(key); // another position was shown meanwhile
    } catch (error) {
      this.#fail(error);
    }
  }

  /** End, and keep what was found. */
  async end() {
    const key = this.key;
    this.source?.close();
    this.#show(null);
    this.#say("");
    await post(`${this.path}/${key}/end`).catch(() => {}); // it may have ended by itself
  }

  /** Follow to another position. */
  async goTo(step, line) {
    if (this.here.step === step && this.here.line === line) return;
    this.here = { step, line };
    this.found = null;
    byId("analysis").hidden = true;
    if (!this.key) {
      this.#say("");
      return;
    }
    await this.#lead(this.key);
  }

  /** Have the search go to what is shown. */
  async #lead(key) {
    this.#say("Searching …");
    try {
      await post(`${this.path}/${key}`, this.here);
    } catch (error) {
      if (this.key === key) this.#fail(error);
    }
  }

  /** Where the joint moves of the expected line are on the board that is shown. */
  get places() {
    return this.found?.places ?? [];
  }

  async #beginAnew() {
    if (!this.key) return;
    await this.end();
    await this.begin();
  }

  #update(key, message) {
    if (this.key !== key) return;
    if (message.is_over) {
      this.source.close();
      this.#show(null);
      this.#say(message.notice);
      return;
    }
    if (message.step !== this.here.step || message.line !== this.here.line) return;
    this.found = message;
    this.#say(message.notice || this.#told(message));
    byId("analysis").hidden = !message.thoughts;
    if (message.thoughts) this.panel.show(message.thoughts, message.names);
    this.onPlaces();
  }

  #told(message) {
    return message.thoughts ? `The search is for ${message.role}.` : `The search for ${message.role} is being prepared.`;
  }

  #show(key) {
    this.key = key;
    byId("analyse").setAttribute("aria-pressed", String(key !== null));
    setText(byId("analyse"), key ? "Stop" : "Analyse from here");
  }

  #fail(error) {
    this.#say(`${error.message[0].toUpperCase()}${error.message.slice(1)}.`);
  }

  #say(sentence) {
    byId("analysis-notice").hidden = !sentence;
    setText(byId("analysis-notice"), sentence && sentence[0].toUpperCase() + sentence.slice(1));
  }
}
