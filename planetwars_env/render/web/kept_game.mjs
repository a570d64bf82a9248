// The game of a page, kept so that it outlives a reload: in the storage of this tab, and in the address, #game=...,
// which opens it elsewhere too. Where the address would be too long (#game=), or the game is at a server, the storage
// alone holds it.
import { fromBase64, toBase64 } from "./packing.mjs";

const LONGEST = 8000;
const AFTER = 300;
const NAME = "game";

let waiting = null;
let unwritten = null;
// The address as this page found or wrote it.
let written = globalThis.location?.hash;

// ``game``: a function that returns the game, for JSON; ``address``: whether it may stand there. Browsers refuse to
// change the address more often than every 300 ms.
export function keep(game, address = true) {
  unwritten = () => writeKept(game(), address);
  waiting ??= setTimeout(flush, AFTER);
}

globalThis.addEventListener?.("pagehide", flush);
// Another address was opened in this tab.
globalThis.addEventListener?.("hashchange", () => location.hash.startsWith(`#${NAME}=`) && location.reload());

function flush() {
  clearTimeout(waiting);
  waiting = null;
  unwritten?.();
  unwritten = null;
}

// The game that was kept, null for none. The one in the storage is the newest, unless another link was opened since.
export function kept() {
  const { hash, search, pathname } = location;
  const found = fromJson(() => sessionStorage.getItem(NAME));
  const isGame = hash.startsWith(`#${NAME}=`);
  const same = (!search || !found?.search || found.search === search) && (!isGame || found?.hashes?.includes(hash));
  if (found && same && (found.pathname ?? pathname) === pathname) return found;
  return isGame ? fromJson(() => new TextDecoder().decode(fromBase64(hash.slice(NAME.length + 2)))) : null;
}

// Whether the address names a game that cannot be read: a code that was cut off, or one that another tab's storage holds.
export function unreadable() {
  return location.hash.startsWith(`#${NAME}=`) && !kept();
}

function fromJson(read) {
  try {
    return JSON.parse(read());
  } catch {
    return null;
  }
}

function writeKept(game, address) {
  const text = JSON.stringify(game);
  const code = text.length < LONGEST ? toBase64(new TextEncoder().encode(text)) : "";
  const hash = address ? `#${NAME}=${code.length < LONGEST ? code : ""}` : "";
  try {
    // A page that is loaded again while this is written comes with the address of before.
    const known = { search: location.search, pathname: location.pathname, hashes: [written, hash] };
    sessionStorage.setItem(NAME, JSON.stringify({ ...game, ...known }));
  } catch {
    // Without storage, or where it is full, the address alone holds the game.
  }
  // A page inside a notebook has no address. Another one than was written is that of a page that is being opened.
  if (location.protocol === "about:" || hash === written || location.hash !== written) return;
  history.replaceState(null, "", location.pathname + location.search + hash);
  written = hash;
}
