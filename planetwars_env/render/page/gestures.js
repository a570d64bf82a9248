// Pointers on a board. A click or tap picks; a drag from a planet that may send draws a rubber band, any other one
// moves the board; the wheel and two fingers zoom; a double click beside the planets shows all again. With shift, or
// while ``selecting`` is on, a click adds to what is picked, and a drag that does not aim draws a box around planets.

const GESTURE = {
  // Pixels that a pointer moves before a click becomes a drag: fingers tremble.
  mouse: 5,
  touch: 12,
  room: 18,
  // Milliseconds between the two taps of a double tap.
  twice: 350,
};

class Gestures {
  constructor(drawing) {
    this.drawing = drawing;
    this.hovered = null;
    this.pointers = new Map();
    this.drag = null;
    this.selecting = false;
    this.lastTap = { time: -Infinity, x: 0, y: 0 };
    /** @type {(...given: any[]) => any} */
    const nothing = () => false;
    this.onHover = nothing; // planet, x, y: a planet's index, or null; the place in pixels of the page
    this.onPick = nothing; // planet, touch, more, place: clicked or tapped; null: beside all planets
    this.onBox = nothing; // planets: those in a box that was drawn
    this.mayDrag = nothing; // planet: whether a drag from here aims
    this.mayDouble = true; // whether a double click beside the planets zooms
    this.onDrag = nothing; // from, over, place: while it lasts; over: a planet or null; place: on the canvas
    this.onDrop = nothing; // from, over, shift, place: null where the drag was broken off
    this.onZoom = nothing; // after the board was zoomed or moved
    const { canvas } = drawing;
    const on = (event, action) => canvas.addEventListener(event, action);
    on("pointerdown", (event) => this._down(event));
    on("pointermove", (event) => this._move(event));
    on("pointerup", (event) => this._up(event));
    on("pointercancel", (event) => this._cancel(event));
    // A finger that is lifted leaves too, but what it tapped stays.
    on("pointerleave", (event) => event.pointerType === "touch" || this._hover(null, 0, 0));
    canvas.addEventListener("wheel", (event) => this._wheel(event), { passive: false });
  }

  showAll() {
    this.drawing.view.showAll();
    this._zoomed();
  }

  /** @returns {[number, number]} */
  _at(event) {
    const box = this.drawing.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  _planet(event) {
    return this.drawing.planetAt(...this._at(event), event.pointerType === "touch" ? GESTURE.room : 10);
  }

  _down(event) {
    if (event.button) return;
    this.drawing.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this._at(event));
    if (this.pointers.size > 1) {
      this._stopAiming();
      this.drawing.box = null;
      this.drag = { kind: "pinch" };
    } else {
      this.drag = {
        kind: "click",
        start: this._at(event),
        planet: this._planet(event),
        more: event.shiftKey || this.selecting,
      };
    }
  }

  _move(event) {
    const place = this._at(event);
    const before = this.pointers.get(event.pointerId);
    if (!before)
      return this._hover(event.pointerType === "touch" ? null : this._planet(event), event.clientX, event.clientY);
    if (this.drag?.kind === "pinch") return this._pinch(event.pointerId, place);
    this._begin(event, place);
    if (this.drag?.kind === "aim") {
      const over = this._planet(event);
      this.drawing.rubber = [this.drag.planet, ...place];
      this.onDrag(this.drag.planet, over === this.drag.planet ? null : over, place);
    } else if (this.drag?.kind === "box") {
      this.drawing.box = [...this.drag.start, ...place];
      this.drawing.draw();
    } else if (this.drag?.kind === "pan") {
      this.drawing.view.move(place[0] - before[0], place[1] - before[1]);
      this._zoomed();
    }
    this.pointers.set(event.pointerId, place);
  }

  // A click that moves far enough is a drag.
  _begin(event, [x, y]) {
    if (this.drag?.kind !== "click") return;
    const least = event.pointerType === "touch" ? GESTURE.touch : GESTURE.mouse;
    if (Math.hypot(x - this.drag.start[0], y - this.drag.start[1]) < least) return;
    this._hover(null, 0, 0);
    const aims = this.drag.planet !== null && this.mayDrag(this.drag.planet);
    this.drag.kind = aims && !this.selecting ? "aim" : this.drag.more ? "box" : "pan";
  }

  _up(event) {
    if (!this.pointers.delete(event.pointerId) || !this.drag) return;
    const { kind, planet, more } = this.drag;
    if (kind === "pinch" && this.pointers.size) return;
    this.drag = null;
    this.drawing.rubber = null;
    if (kind === "aim") {
      const over = this._planet(event);
      this.onDrop(planet, over === planet ? null : over, event.shiftKey, this._at(event));
      this.drawing.draw();
    } else if (kind === "box") {
      const inside = this.drawing.planetsIn(this.drawing.box);
      this.drawing.box = null;
      this.onBox(inside);
      this.drawing.draw();
    } else if (kind === "click") {
      this._click(event, planet, more);
    }
  }

  _click(event, planet, more) {
    const [x, y] = this._at(event);
    const { time, x: lastX, y: lastY } = this.lastTap;
    const twice = event.timeStamp - time < GESTURE.twice && Math.hypot(x - lastX, y - lastY) < 30;
    this.lastTap = { time: twice || planet !== null ? -Infinity : event.timeStamp, x, y };
    if (planet !== null || !twice || !this.mayDouble)
      return this.onPick(planet, event.pointerType === "touch", more, [x, y]);
    if (this.drawing.view.zoomed) return this.showAll();
    this.drawing.view.zoomAt(2, x, y);
    this._zoomed();
  }

  _cancel(event) {
    this.pointers.delete(event.pointerId);
    this._stopAiming();
    this.drawing.box = null;
    this.drag = null;
  }

  // The board shows another game: a drag on the old one has no end.
  forget() {
    this.pointers.clear();
    this.drag = null;
    Object.assign(this.drawing, { rubber: null, box: null, edge: null });
  }

  _stopAiming() {
    if (this.drag?.kind !== "aim") return;
    this.drawing.rubber = null;
    this.onDrop(this.drag.planet, null, false, null);
  }

  _pinch(id, place) {
    const other = [...this.pointers].find(([number]) => number !== id)?.[1];
    const before = this.pointers.get(id);
    this.pointers.set(id, place);
    if (!other) return;
    const { view } = this.drawing;
    const apart = (a) => Math.max(20, Math.hypot(a[0] - other[0], a[1] - other[1]));
    const middle = (a) => [(a[0] + other[0]) / 2, (a[1] + other[1]) / 2];
    const [was, is] = [middle(before), middle(place)];
    view.zoomAt(apart(place) / apart(before), ...was);
    view.move(is[0] - was[0], is[1] - was[1]);
    this._zoomed();
  }

  // Where the whole board is shown already, the wheel scrolls what lies around the page.
  _wheel(event) {
    if (event.deltaY > 0 && !this.drawing.view.zoomed) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 20 : 1;
    this.drawing.view.zoomAt(Math.exp(-Math.max(-300, Math.min(300, event.deltaY * lines)) / 400), ...this._at(event));
    this._zoomed();
  }

  _zoomed() {
    this._hover(null, 0, 0);
    this.drawing.draw();
    this.showFit();
  }

  // The button that shows all again.
  showFit() {
    element("fit").hidden = !this.drawing.view.zoomed;
    this.onZoom();
  }

  _hover(planet, x, y) {
    if (planet !== this.hovered) {
      this.hovered = planet;
      this.drawing.canvas.style.cursor = planet === null ? "default" : "pointer";
      this.drawing.draw();
    }
    this.onHover(planet, x, y);
  }
}
