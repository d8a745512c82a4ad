// Radio buttons that look like chips, and the options of a select.
import { element } from "./element.js";

/** Show these choices, [key, title] each, in the fieldset of this id. */
export function chips(id, choices, chosen, choose) {
  const box = document.getElementById(id).querySelector(".chips");
  const names = choices.map((choice) => choice.join()).join(" ");
  if (box.dataset.names !== names) {
    box.dataset.names = names;
    box.replaceChildren(...choices.map(([value, title]) => {
      const input = element("input", { type: "radio", name: id, value });
      input.addEventListener("change", () => choose(value));
      return element("label", {}, input, element("span", { textContent: title }));
    }));
  }
  for (const input of box.querySelectorAll("input")) input.checked = input.value === chosen;
}

/** Give a select these options, [key, title] each. */
export function options(select, choices, chosen) {
  const names = choices.map((choice) => choice.join()).join(" ");
  if (select.dataset.names !== names) {
    select.dataset.names = names;
    select.replaceChildren(...choices.map(([value, title]) => new Option(title, value)));
  }
  if (chosen !== undefined) select.value = chosen;
}
