// Console: what strategies said, printed and did wrong, turn by turn, the newest first.
"use strict";

// ``notes``: bots/notes.py, TurnNotes; ``names``: of both players.
function showConsole(list, notes, names) {
  const text = JSON.stringify(notes);
  if (list.told === text) return;
  list.told = text;
  list.replaceChildren(...notes.map((one) => consoleRow(one, names)));
}

function consoleRow({ turn, player, said, printed, fault, seconds, dropped }, names) {
  const row = document.createElement("li");
  const title = made("b", `${turn ? `turn ${turn}` : "before the first turn"}, ${names[player - 1]}`, player === 2 ? "two" : "one");
  row.append(title, ` ${describeSeconds(seconds)}`);
  if (dropped) row.append(`, ${dropped} ${dropped === 1 ? "move" : "moves"} dropped`);
  for (const sentence of said) row.append(made("p", `“${sentence}”`, "said"));
  if (fault) row.append(made("pre", fault, "fault"));
  if (printed) row.append(made("pre", printed.trimEnd(), ""));
  return row;
}

function describeSeconds(seconds) {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(2)} s`;
}
