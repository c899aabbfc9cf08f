// Shows moments as the reader's clock has them.

import { moment } from "./dom.js";

for (const time of document.querySelectorAll("time[data-time]")) {
  const number = Number(time.dataset.time);
  time.textContent = moment(number);
  if (number) time.dateTime = new Date(number).toISOString();
}
