// Watch it work: asks for what happens in the network, and shows it as its kind says.
import { element } from "./element.js";
import { player } from "./frames.js";
import { showGates } from "./gates.js";
import { drawPaper, placeOf, sizeOf } from "./paper.js";
import { showTally } from "./tally.js";
import { showUnits } from "./units.js";

const NOTES = {
  paper: "On paper, cell by cell. White is what the network saw and drew; amber is what it hands to the next column, as it "
    + "draws it alone. Nobody told it what to carry.",
  long: "Long multiplication, cell by cell, row by row. Every digit here is a picture: white ones it saw or wrote, amber "
    + "ones it carries, and each is read again by the next cell. How the cells are wired is given; what they draw is learned.",
  tally: "It counts the numerals of each kind, adds the counts, and hands on what does not fit.",
  units: "Each square is a hidden unit; the lighter, the larger its value for these pictures. Point at one, or walk with the "
    + "arrow keys, to see its weights.",
  gates: "Nothing here is learned: each square is a gate with weights set by hand, as in the paper’s proof. Light "
    + "gates are on.",
};
const TALL = 480, ROOM = 330;  // pixels: of the paper, if it can be read in them, and of what stands above it
const SHOW = { paper: showPaper, tally: showTally, units: showUnits, gates: showGates };

export function startThinking(app) {
  const box = document.getElementById("thoughts"), note = document.getElementById("think-note");
  let serial = 0, shown = null;
  new IntersectionObserver(([{ isIntersecting }]) => { app.isWatched = isIntersecting; }).observe(box);
  app.thoughts = () => shown?.thoughts ?? null;
  /** Show what happens with a question; with null, dim what is shown, because nothing is answered now. */
  app.thinkAbout = async (question) => {
    const mine = ++serial;
    box.classList.toggle("stale", !question);
    if (!question) {
      shown?.view?.end?.();
      note.textContent = "There is nothing to watch: these numbers have no answer.";
      return;
    }
    try {
      const thoughts = await app.engine.think(question);
      if (mine !== serial) return;
      note.textContent = NOTES[thoughts.long ? "long" : thoughts.kind];
      const same = shown?.thoughts.kind === thoughts.kind && shown?.thoughts.network === thoughts.network;
      if (!same) shown?.view?.end?.();
      const view = SHOW[thoughts.kind](box, thoughts, { app, question, before: same ? shown.view : null });
      shown = { thoughts, view };
      box.dataset.kind = thoughts.kind;
    } catch (error) {
      if (mine !== serial) return;
      shown?.view?.end?.();
      shown = null;
      box.replaceChildren();
      note.textContent = `${error.message[0].toUpperCase()}${error.message.slice(1)}.`;
    }
  };
}

function showPaper(box, thoughts, { app, before }) {
  const canvas = element("canvas", { className: "paper", role: "img" }), { sign } = app.operation(), size = sizeOf(thoughts);
  const stage = element("div", { className: "stage", tabIndex: 0, role: "group", "aria-label": "The paper" }, canvas);
  const room = Math.max(box.clientWidth - 34, 200), dense = Math.min(2, window.devicePixelRatio || 1);
  const tall = Math.min(TALL, Math.max(240, window.innerHeight - ROOM));
  const scale = Math.max(2, Math.min(6, room / size.width, tall / size.height));
  canvas.style.width = `${Math.floor(size.width * scale)}px`;
  const controls = player(thoughts.frames.length, (count) => {
    drawPaper(canvas, thoughts, count, { scale: Math.ceil(scale * dense), sign });
    const text = count ? told(thoughts, count - 1) : "Before the first cell. Press Play.";
    canvas.setAttribute("aria-label", `The paper after ${count} of ${thoughts.frames.length} cells`);
    follow(stage, canvas, thoughts, count);
    return text;
  }, { before });
  box.replaceChildren(controls.controls, controls.said, stage);
  follow(stage, canvas, thoughts, 0);
  return controls;
}

// Keep the cell that was drawn last in sight.
function follow(stage, canvas, thoughts, count) {
  if (!stage.isConnected || !thoughts.frames.length) return;
  const { x, y } = placeOf(thoughts, count), factor = canvas.clientWidth / sizeOf(thoughts).width;
  if (stage.scrollWidth > stage.clientWidth) stage.scrollLeft = x * factor - stage.clientWidth / 2;
  if (stage.scrollHeight > stage.clientHeight) stage.scrollTop = y * factor - stage.clientHeight / 2;
}

/** A frame in words: what the network saw, not what was typed. */
export function told(thoughts, number) {
  const frame = thoughts.frames[number], place = thoughts.cells - frame.column;
  const saw = frame.saw.map((name) => (name === "?" ? "something illegible" : name));
  const column = `column ${place} from the right`;
  if (thoughts.long) {
    return `Row ${frame.row + 1}, ${column}: it sees ${saw.join(" by ")}, reads ${frame.before} where it stands and `
      + `${frame.handed.text} carried to it; it writes ${frame.symbol} and carries ${frame.hands.text}.`;
  }
  const hands = frame.after === null ? "." : ` and hands on ${called(frame.hands)}.`;
  const drew = frame.symbol === "?" ? "something illegible" : frame.symbol;
  return `${column[0].toUpperCase()}${column.slice(1)}: it sees ${saw.join(" and ")}, is handed ${called(frame.handed)}; `
    + `it draws ${drew}${hands}`;
}

function called({ text }) {
  return text === "?" ? "something that draws no digit" : `what draws ${text}`;
}
