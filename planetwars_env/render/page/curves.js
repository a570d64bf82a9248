// People of both players over the turns, with a line at the turn that is shown; dragging goes to another one.
"use strict";

class Curves {
  // ``totals``: for every frame [people of 1, people of 2, ...]; ``onSeek``: called with a frame's number.
  constructor(canvas, totals, onSeek) {
    this.canvas = canvas;
    this.totals = totals;
    this.at = 0;
    this.viewer = 0;
    this.most = Math.max(1, ...totals.map(([first, second]) => Math.max(first, second)));
    new ResizeObserver(() => this.recolour()).observe(canvas);
    const seek = (event) => {
      const box = canvas.getBoundingClientRect();
      onSeek(Math.round(((event.clientX - box.left - 8) / (box.width - 16)) * (totals.length - 1)));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) seek(event);
    });
    this.recolour();
  }

  show(at) {
    this.at = at;
    const { canvas, back } = this;
    if (!back) return;
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(back, 0, 0);
    context.fillStyle = this.ink;
    context.fillRect(this._x(at) - this.pixels, 0, 2 * this.pixels, canvas.height);
  }

  // Through a player's fog only its own curve is known; 0: both.
  only(viewer) {
    this.viewer = viewer;
    this.recolour();
  }

  // Draws the curves anew: they and not the line at the turn.
  recolour() {
    const { canvas } = this;
    this.pixels = window.devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * this.pixels);
    canvas.height = Math.round(canvas.clientHeight * this.pixels);
    if (!canvas.width || !canvas.height) return;
    const style = getComputedStyle(canvas);
    this.ink = style.getPropertyValue("--ink");
    this.back = document.createElement("canvas");
    this.back.width = canvas.width;
    this.back.height = canvas.height;
    const context = this.back.getContext("2d");
    context.fillStyle = style.getPropertyValue("--panel");
    context.fillRect(0, 0, canvas.width, canvas.height);
    const { viewer, pixels } = this;
    if (viewer !== 2) this._curve(context, 0, style.getPropertyValue("--player-1"), []);
    if (viewer !== 1) this._curve(context, 1, style.getPropertyValue("--player-2"), [7 * pixels, 3 * pixels]);
    this.show(this.at);
  }

  _curve(context, player, colour, dashes) {
    const { pixels, canvas } = this;
    const height = canvas.height - 8 * pixels;
    context.beginPath();
    this.totals.forEach((total, at) => {
      context.lineTo(this._x(at), canvas.height - 4 * pixels - (height * total[player]) / this.most);
    });
    context.strokeStyle = colour;
    context.lineWidth = 2.2 * pixels;
    context.lineJoin = "round";
    context.setLineDash(dashes);
    context.stroke();
  }

  // As far as the knob of the scrubber above it.
  _x(at) {
    const rim = 8 * this.pixels;
    return rim + ((this.canvas.width - 2 * rim) * at) / Math.max(1, this.totals.length - 1);
  }
}
