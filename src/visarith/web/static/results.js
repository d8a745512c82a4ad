// The results of the last report: tables to browse, rows that try a network in the calculator, and the figures.
import { element } from "./element.js";

export async function startResults(app) {
  const section = document.getElementById("results"), body = document.getElementById("results-body");
  let said;
  try {
    said = app.engine.results ? await app.engine.results() : null;
  } catch {
    said = null;
  }
  if (!said) {
    section.hidden = true;
    return;
  }
  const titles = said.tables.map((table, i) => new Option(table.title, String(i)));
  const choose = element("select", { id: "table" }, ...titles);
  const place = element("div");
  const show = () => place.replaceChildren(...shownTable(app, said.tables[Number(choose.value)]));
  choose.addEventListener("change", show);
  const figures = said.figures.map((figure) => element(
    "figure", {},
    element("img", { src: figure.picture, alt: figure.title, loading: "lazy" }),
    element("figcaption", {}, element("b", { textContent: `${figure.title}. ` }), figure.caption),
  ));
  body.replaceChildren(
    element("p", { className: "note", textContent: said.summary }),
    element("label", {}, "Table ", choose), place,
    element("h3", { textContent: "Figures" }), element("div", { className: "figures" }, ...figures),
  );
  show();
}

function shownTable(app, table) {
  const tries = table.rows.some((row) => row.try && offered(app, row.try));
  const titles = [...(tries ? [""] : []), ...table.head];
  const head = element("tr", {}, ...titles.map((text) => element("th", { scope: "col", textContent: text })));
  const rows = table.rows.map((row) => {
    const cells = row.cells.map((text) => element("td", {}, ...marked(text)));
    const line = element("tr", {}, ...(tries ? [element("td")] : []), ...cells);
    if (row.try && offered(app, row.try)) {
      const said = `Try ${row.cells[0].replace(/[*`]/g, "")} in the calculator`;
      const button = element("button", { type: "button", textContent: "Try it", "aria-label": said });
      line.firstChild.append(button);
      line.className = "tries";
      line.addEventListener("click", () => {
        app.choose(row.try.op, row.try.learner);
        document.getElementById("calculator").scrollIntoView();
        document.querySelector("#learners input:checked")?.focus({ preventScroll: true });
      });
    }
    return line;
  });
  const note = table.note ? [element("p", { className: "note" }, ...marked(table.note))] : [];
  const whole = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
  const area = { className: "scroll", tabIndex: 0, role: "region", "aria-label": table.title };
  return [...note, element("div", area, whole)];
}

function offered(app, { op, learner }) {
  return app.offered.networks.some((network) => network.op === op && network.learner === learner);
}

// Bold and code of the tables' Markdown.
function marked(text) {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).filter(Boolean).map((piece) => {
    if (piece.startsWith("**")) return element("b", { textContent: piece.slice(2, -2) });
    if (piece.startsWith("`")) return element("code", { textContent: piece.slice(1, -1) });
    return piece;
  });
}
