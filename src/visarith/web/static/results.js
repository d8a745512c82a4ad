// The results of the last report: the tables and figures of each topic together, rows that try a network in the
// calculator, and every table to browse.
import { element } from "./element.js";

const NEAR = "200px";  // before it comes into view
const TOPICS = [  // headings, and the beginnings of the titles of what is spoken of
  ["The nine cells of the paper", "Each cell of the paper’s Table 1, learned again.", ["The nine cells"],
    ["Learning curves", "Where the errors are"]],
  ["An illegible digit", "Blend two digits above: this is what comes of it, over all places and pairs.", [],
    ["Fig. 5", "Illegible digits"]],
  ["Inside the perceptron", "What its units look for, and what can be read off them.", [],
    ["Fig. 4", "What explains a unit", "What each layer tells"]],
  ["What the paper could not learn", "Columns learn it, at lengths never seen too. Only in noise do they make errors.",
    ["What the paper could not learn"], ["Lengths never seen", "Few examples"]],
  ["Pictures that were not trained on", "", ["Pictures that were not trained on"], ["Pictures that were not"]],
  ["A network by construction", "Weights set by hand, as in the paper’s proof.", [],
    ["Fig. 6", "How constructions grow"]],
];

export function startResults(app) {
  const section = document.getElementById("results"), body = document.getElementById("results-body");
  const watched = new IntersectionObserver(async ([entry]) => {
    if (!entry.isIntersecting) return;
    watched.disconnect();
    try {
      showResults(app, body, await app.engine.results());
    } catch (error) {
      body.replaceChildren(element("p", { className: "problem", textContent: error.message }));
    }
  }, { rootMargin: NEAR });
  app.afterFirst.push(() => watched.observe(section));
}

function showResults(app, body, said) {
  const starting = (all, beginnings) => beginnings.flatMap((begin) => all.filter(({ title }) => title.startsWith(begin)));
  const topics = TOPICS.map(([heading, lead, tables, figures]) => element(
    "div", { className: "topic" },
    element("h3", { textContent: heading }), element("p", { className: "note", textContent: lead }),
    ...starting(said.tables, tables).flatMap((table) => shownTable(app, table)),
    element("div", { className: "figures" }, ...starting(said.figures, figures).map(shownFigure)),
  ));
  const titles = said.tables.map((table, i) => new Option(table.title, String(i)));
  const choose = element("select", { id: "table" }, ...titles), place = element("div");
  const show = () => place.replaceChildren(...shownTable(app, said.tables[Number(choose.value)]));
  choose.addEventListener("change", show);
  body.replaceChildren(
    element("p", { className: "note", textContent: said.summary }), ...topics,
    element("div", { className: "topic" },
      element("h3", { textContent: "Every table" }), element("label", {}, "Table ", choose), place),
  );
  show();
}

function shownFigure(figure) {
  return element(
    "figure", {},
    element("img", { src: figure.picture, alt: figure.title, decoding: "async" }),
    element("figcaption", {}, element("b", { textContent: `${figure.title}. ` }), figure.caption),
  );
}

function shownTable(app, table) {
  const tries = table.rows.some((row) => row.try && offered(app, row.try));
  const titles = [...(tries ? ["try"] : []), ...table.head];
  const head = element("tr", {}, ...titles.map((text) => element("th", { scope: "col", textContent: text })));
  const rows = table.rows.map((row) => {
    const cells = row.cells.map((text) => element("td", {}, ...marked(text)));
    const line = element("tr", {}, ...(tries ? [element("td")] : []), ...cells);
    if (row.try && offered(app, row.try)) {
      const said = `Try it: ${row.cells[0].replace(/[*`]/g, "")}`;
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
