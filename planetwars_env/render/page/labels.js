// Words and numbers on a board: the important ones first, each where it covers no other; one without room is left out.

const WORDS = {
  font: 'system-ui, "Segoe UI", Roboto, Arial, sans-serif',
  // Pixels: no word is smaller.
  least: 11,
  // Pictures of words that are made while a board is drawn.
  made: 12,
};

class Labels {
  constructor() {
    this.words = new Map();
    this.pen = document.createElement("canvas").getContext("2d"); // measures words
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
    this.words.clear();
  }

  // ``places``: [x, y] of its middle, the best first; ``rank``: the lowest is placed first; ``must``: rather covered
  // than left out; ``key``: keeps its place from picture to picture.
  add(text, size, colour, { places, rank, halo = null, bold = false, must = false, key = "", alpha = 1 }) {
    const shown = Math.max(WORDS.least, Math.round(size * this.view.words * 2) / 2);
    const word = this._word(text, shown, colour, halo, bold);
    this.wanted.push({ text, word, places, rank, must, key, alpha, order: this.wanted.length });
  }

  // Places and draws them; ``discs``: [x, y, radius] that no word of lower rank than 1 covers. Kept in ``shown``: their
  // boxes.
  draw(context, discs) {
    this.shown = [];
    this.made = 0;
    this.wanted.sort((a, b) => a.rank - b.rank || a.order - b.order);
    for (const label of this.wanted) {
      const box = this._place(label, discs);
      if (!box) continue;
      this.shown.push(box);
      const { word } = label;
      context.globalAlpha = label.alpha;
      context.setTransform(1, 0, 0, 1, 0, 0);
      const x = Math.round(box.x * this.pixels - word.wide / 2);
      const y = Math.round(box.y * this.pixels - word.high / 2);
      const picture = this._picture(word);
      if (picture) context.drawImage(picture, x, y);
      else write(context, word, x, y);
    }
    context.globalAlpha = 1;
  }

  _place({ text, word, places, rank, must, key }, discs) {
    const last = this.chosen.get(key);
    const order = last === undefined ? places : [places[last] ?? places[0], ...places];
    for (const [x, y] of order) {
      const box = boxAt(text, word, x, y, rank);
      const meets = (other) => overlap(box, other);
      const covered = this.shown.some(meets) || (rank > 0 && this.taken.some(meets));
      const { width, height } = this.view;
      const inside = box.left > 0 && box.top > 0 && box.right < width && box.bottom < height;
      if (!inside || covered || (rank > 0 && discs.some((disc) => covers(disc, box)))) continue;
      if (key) this.chosen.set(key, Math.max(0, places.findIndex(([px, py]) => px === x && py === y)));
      return box;
    }
    if (key) this.chosen.delete(key);
    return must ? boxAt(text, word, places[0][0], places[0][1], rank) : null;
  }

  _word(text, size, colour, halo, bold) {
    const key = `${text}|${size}|${colour}|${halo}|${bold}`;
    let word = this.words.get(key);
    if (!word) {
      if (this.words.size > 4000) this.forget();
      const high = size * this.pixels;
      const rim = 1.75 * this.pixels;
      const font = `${bold ? "700 " : ""}${high}px ${WORDS.font}`;
      this.pen.font = font;
      const long = this.pen.measureText(text).width;
      // The figures themselves: what another word must not cover.
      const inner = [long / this.pixels, (high * 0.75) / this.pixels];
      word = { text, font, colour, halo, rim, inner, times: 0, picture: null };
      Object.assign(word, { wide: Math.ceil(long + 2 * rim), high: Math.ceil(high * 1.1 + 2 * rim) });
      this.words.set(key, word);
    }
    return word;
  }

  // Words that come again are kept as small pictures: outlines of letters take long to draw. A picture takes longer to
  // make than a word to write, so that a board is drawn at first without any.
  _picture(word) {
    if (!word.picture && word.times++ && this.made++ < WORDS.made) {
      word.picture = Object.assign(document.createElement("canvas"), { width: word.wide, height: word.high });
      write(word.picture.getContext("2d"), word, 0, 0);
    }
    return word.picture;
  }
}

// ``x``, ``y``: of the corner, in pixels of the screen.
function write(context, { text, font, colour, halo, rim, wide, high }, x, y) {
  Object.assign(context, { font, textAlign: "center", textBaseline: "middle", lineJoin: "round", fillStyle: colour });
  if (halo) {
    Object.assign(context, { strokeStyle: halo, lineWidth: 2 * rim });
    context.strokeText(text, x + wide / 2, y + high / 2);
  }
  context.fillText(text, x + wide / 2, y + high / 2);
}

function boxAt(text, { inner: [wide, high] }, x, y, rank) {
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
