// Address of the page: it holds the turn and the view, #turn=120&as=2, and opens them again. A game that came from a
// file is in it too, packed: #replay=...&turn=120.

const WRITE_AFTER = 300;
// Letters of a game in an address that browsers take.
const LONGEST = 1_000_000;

class Address {
  // ``onChange``: called with a frame's number and a viewer after the reader has changed the address.
  constructor(onChange) {
    // A game to play on (#game=) is for the page that takes over from this one.
    addEventListener("hashchange", () => location.hash.startsWith("#game=") || onChange(...this.read()));
    // A page inside a notebook has no address.
    this.own = location.protocol !== "about:";
  }

  // The game that the address holds, packed, or null.
  static replay() {
    return new URLSearchParams(location.hash.slice(1)).get("replay");
  }

  // Another game: the page begins anew.
  static open(replay) {
    if (replay.length > LONGEST) return false;
    location.hash = `#replay=${replay}`;
    location.reload();
    return true;
  }

  read() {
    const found = new URLSearchParams(location.hash.slice(1));
    const viewer = Number(found.get("as"));
    return [(parseInt(found.get("turn"), 10) || 1) - 1, viewer === 1 || viewer === 2 ? viewer : 0];
  }

  // Not more often than browsers allow.
  write(at, viewer) {
    const replay = Address.replay();
    this.hash = `#${replay ? `replay=${replay}&` : ""}turn=${at + 1}${viewer ? `&as=${viewer}` : ""}`;
    if (!this.own) return;
    clearTimeout(this.later);
    this.later = setTimeout(() => this.writeNow(), WRITE_AFTER);
  }

  writeNow() {
    clearTimeout(this.later);
    history.replaceState(null, "", this.hash);
  }

  async copy(button) {
    const text = button.textContent;
    const link = location.href.split("#")[0] + this.hash;
    button.textContent = await navigator.clipboard.writeText(link).then(() => "copied", () => "in the address bar");
    setTimeout(() => { button.textContent = text; }, 1500);
  }
}
