// The engine without a server: the networks run in the browser, on weights that came with the page (see engine.md).

import { answer } from "./local/answering.js";
import { find, offered, reported } from "./local/shelf.js";
import { think } from "./local/thinking.js";

export const engine = {
  async learners() {
    return structuredClone(offered());
  },
  async calculate(question) {
    return answer({ ...question, pictures: [] }, await find(question.op, question.learner));
  },
  async predict(question) {
    if (!question.pictures?.length) throw new Error("pictures are missing; send two, or ask calculate for numbers");
    return answer(question, await find(question.op, question.learner));
  },
  async think(question) {
    return think(question, await find(question.op, question.learner));
  },
  read: null, // there is no Tesseract in a browser
  async results() {
    return reported();
  },
};
