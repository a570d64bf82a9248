// Words and numbers on a board: the important ones first, each where it covers no other; one without room is left out.

const WORDS = {
  font: 'system-ui, "Segoe UI", Roboto, Arial, sans-serif',
  // Pixels: no word is smaller.
  least: 11,
};

class Labels {
  constructor() {
    this.pictures = new Map();
    this.chosen = new Map();
    this.shown = [];
  }

  // ``pixels``: of the screen for one of the page; ``view``: a Viewport, which says how large words are.
  begin(pixels, view) {
    if (pixels !== this.pixels) this.forget();
    this.pixels = pixels;
    this.view = view;
    this.wanted = [];
    // Boxes that are drawn already: words give way to them where they can.
    this.taken = [];
  }

  forget() {
    this.pictures.clear();
  }

  // ``places``: [x, y] of its middle, the best first; ``rank``: the lowest is placed first; ``must``: rather covered
  // than left out; ``key``: keeps its place from picture to picture.
  add(text, size, colour, { places, rank, halo = null, bold = false, must = false, key = "", alpha = 1 }) {
    const shown = Math.max(WORDS.least, Math.round(size * this.view.words * 2) / 2);
    const picture = this._picture(text, shown, colour, halo, bold);
    this.wanted.push({ text, picture, places, rank, must, key, alpha, order: this.wanted.length });
  }

  // Places and draws them; ``discs``: [x, y, radius] that no word of lower rank than 1 covers. Kept in ``shown``: their
  // boxes.
  draw(context, discs) {
    this.shown = [];
    this.wanted.sort((a, b) => a.rank - b.rank || a.order - b.order);
    for (const label of this.wanted) {
      const box = this._place(label, discs);
      if (!box) continue;
      this.shown.push(box);
      const { picture } = label;
      context.globalAlpha = label.alpha;
      context.setTransform(1, 0, 0, 1, 0, 0);
      const x = Math.round(box.x * this.pixels - picture.width / 2);
      const y = Math.round(box.y * this.pixels - picture.height / 2);
      context.drawImage(picture, x, y);
    }
    context.globalAlpha = 1;
  }

  _place({ text, picture, places, rank, must, key }, discs) {
    const last = this.chosen.get(key);
    const order = last === undefined ? places : [places[last] ?? places[0], ...places];
    for (const [x, y] of order) {
      const box = boxAt(text, picture, x, y, rank);
      const covered = [...this.shown, ...(rank > 0 ? this.taken : [])].some((other) => overlap(box, other));
      if (!this._inside(box) || covered || (rank > 0 && discs.some((disc) => covers(disc, box)))) continue;
      if (key) this.chosen.set(key, Math.max(0, places.findIndex(([px, py]) => px === x && py === y)));
      return box;
    }
    if (key) this.chosen.delete(key);
    return must ? boxAt(text, picture, places[0][0], places[0][1], rank) : null;
  }

  _inside({ left, right, top, bottom }) {
    return left > 0 && top > 0 && right < this.view.width && bottom < this.view.height;
  }

  // Words are kept as small pictures: outlines of letters take long to draw, and most words come again.
  _picture(text, size, colour, halo, bold) {
    const key = `${text}|${size}|${colour}|${halo}|${bold}`;
    let word = this.pictures.get(key);
    if (!word) {
      if (this.pictures.size > 4000) this.forget();
      word = this._make(text, size * this.pixels, colour, halo, bold);
      this.pictures.set(key, word);
    }
    return word;
  }

  _make(text, size, colour, halo, bold) {
    const word = document.createElement("canvas");
    const context = word.getContext("2d");
    const rim = 1.75 * this.pixels;
    const font = `${bold ? "700 " : ""}${size}px ${WORDS.font}`;
    context.font = font;
    const wide = context.measureText(text).width;
    word.width = Math.ceil(wide + 2 * rim);
    word.height = Math.ceil(size * 1.1 + 2 * rim);
    // The figures themselves: what another word must not cover.
    const inner = [wide / this.pixels, (size * 0.75) / this.pixels];
    context.font = font;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    if (halo) {
      context.strokeStyle = halo;
      context.lineWidth = 2 * rim;
      context.strokeText(text, word.width / 2, word.height / 2);
    }
    context.fillStyle = colour;
    context.fillText(text, word.width / 2, word.height / 2);
    return Object.assign(word, { inner });
  }
}

function boxAt(text, picture, x, y, rank) {
  const [wide, high] = picture.inner;
  return { text, x, y, rank, left: x - wide / 2, right: x + wide / 2, top: y - high / 2, bottom: y + high / 2 };
}

function overlap(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function covers([x, y, radius], { left, right, top, bottom }) {
  const dx = Math.max(left - x, 0, x - right);
  const dy = Math.max(top - y, 0, y - bottom);
  return dx * dx + dy * dy < radius * radius;
}
