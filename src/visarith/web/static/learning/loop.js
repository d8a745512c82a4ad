// Training in slices between frames, so that the page goes on answering. Hidden pages have no frames and do not train.

const SLICE = 6; // milliseconds
const QUIET = 150; // milliseconds without training after a key or a touch

export class Loop {
  /** `onFrame` draws, where `whole` says that no step is half done; `onEnd` is called when there is no more work. */
  constructor({ onFrame, onEnd }) {
    Object.assign(this, { onFrame, onEnd });
    this.speed = 1;
    this.playing = this.waiting = false;
    this.quietUntil = 0;
    this.channel = new MessageChannel(); // comes sooner than a timer
    this.channel.port1.onmessage = () => this.slice();
    for (const kind of ["keydown", "input", "pointerdown"])
      document.addEventListener(kind, () => (this.quietUntil = performance.now() + QUIET), true);
  }

  /** Take up new work, which yields "part" within a step, "step" after each, and "test" in a test. */
  begin(work) {
    Object.assign(this, { work, owed: 0, spent: 0, whole: true });
  }

  play() {
    if (this.playing) return;
    this.playing = true;
    requestAnimationFrame(() => this.frame());
  }

  /** Make so many steps a frame; Infinity: as many as fit. */
  pace(speed) {
    Object.assign(this, { speed, owed: 0 });
  }

  /** Stop after the step that was begun. */
  pause() {
    this.playing = false;
    this.ask();
  }

  frame() {
    if (!this.playing) return;
    this.onFrame();
    if (this.owed < 1) this.owed += this.speed;
    this.ask();
    requestAnimationFrame(() => this.frame());
  }

  ask() {
    if (this.waiting) return;
    this.waiting = true;
    this.channel.port2.postMessage(null);
  }

  get isDue() {
    return !this.whole || (this.playing && this.owed >= 1 && performance.now() >= this.quietUntil);
  }

  /** Work until the steps of this frame are made, or the time is over. */
  slice() {
    this.waiting = false;
    const started = performance.now();
    let ended = false;
    while (!ended && this.isDue && performance.now() - started < SLICE) {
      const { value, done } = this.work.next();
      this.whole = value !== "part";
      if (value === "step") this.owed -= 1;
      ended = done;
    }
    this.spent += performance.now() - started;
    if (ended) this.playing = false;
    else if (this.isDue) this.ask();
    if (!this.playing) this.onFrame();
    if (ended) this.onEnd();
  }
}
