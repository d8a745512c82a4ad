// Watch it think: asks for what happens in the network, and shows it as its kind says.
import { isLong, showColumns } from "./think_columns.js";
import { showGates } from "./think_gates.js";
import { showUnits } from "./think_units.js";

const NOTES = {
  columns: "Each column sees the cells that meet in it and what the column before hands on; it draws its cell and "
    + "hands something on in turn. Nobody told it what to carry.",
  units: "Each square is a hidden unit; the lighter, the louder it says something about these pictures. Point at one, "
    + "or walk with the arrow keys, to see its weights.",
  gates: "Nothing here is learned: each square is a gate with weights set by hand, as in the paper’s proof. Light "
    + "gates are on.",
};
const LONG = "Digit by digit, row by row, as on paper: how its cells are wired is given; what each draws, writes and "
  + "carries is learned, and each drawing is read again by the next cell.";
const SHOW = { columns: showColumns, units: showUnits, gates: showGates };

export function startThinking(app) {
  const box = document.getElementById("thoughts"), note = document.getElementById("think-note");
  let serial = 0, shown = null;
  app.thinkAbout = async (question) => {
    const mine = ++serial;
    try {
      const thoughts = await app.engine.think(question);
      if (mine !== serial) return;
      const long = thoughts.kind === "columns" && isLong(thoughts);
      note.textContent = (long ? LONG : NOTES[thoughts.kind]) + (thoughts.note ? ` Here: ${thoughts.note}.` : "");
      if (shown?.kind !== thoughts.kind || shown?.network !== thoughts.network) shown?.view?.end?.();
      const same = shown?.kind === thoughts.kind && shown?.network === thoughts.network;
      const view = SHOW[thoughts.kind](box, thoughts, { app, question, before: same ? shown.view : null });
      shown = { kind: thoughts.kind, network: thoughts.network, view };
      box.dataset.kind = thoughts.kind;
    } catch (error) {
      if (mine !== serial) return;
      note.textContent = error.message;
    }
  };
}
