// All that the page asks of networks (see engine.md). They run in the browser, on weights that come with the page; a
// server, where there is one, is asked for what a browser has not.

import { answer } from "./engine/answering.js";
import { asked, served } from "./engine/server.js";
import { find, offered, reported } from "./engine/shelf.js";
import { think } from "./engine/thinking.js";

export const engine = {
  learners: () => structuredClone(offered()),
  calculate: async (question) => answer({ ...question, pictures: [] }, await find(question.op, question.learner)),
  async predict(question) {
    if (!question.pictures?.length) throw new Error("pictures are missing; send two, or ask calculate for numbers");
    return answer(question, await find(question.op, question.learner));
  },
  think: async (question) => think(question, await find(question.op, question.learner)),
  read: served() ? (question) => asked("read", question) : null, // there is no Tesseract in a browser
  results: reported,
};
