// The page begins here.
import { start } from "./page.js";

start();
