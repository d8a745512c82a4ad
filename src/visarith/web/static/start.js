// The page with the engine that asks the server.
import { engine } from "./remote.js";
import { start } from "./page.js";

start(engine);
