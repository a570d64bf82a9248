// Console: what strategies said, printed and did wrong, turn by turn, the newest first.

// ``notes``: bots/notes.py, TurnNotes; ``names``: of both players.
function showConsole(list, notes, names) {
  fillList(list, notes, () => notes.map((one) => consoleRow(one, names)));
}

function consoleRow({ turn, player, said, printed, fault, seconds, dropped }, names) {
  const when = turn ? `turn ${turn}` : "before the first turn";
  const lost = dropped ? `, ${counted(dropped, "move")} dropped` : "";
  const title = made("b", player === 2 ? "two" : "one", `${when}, ${names[player - 1]}`);
  const row = made("li", "", title, ` ${describeSeconds(seconds)}${lost}`);
  for (const sentence of said) row.append(made("p", "said", `“${sentence}”`));
  if (fault) row.append(made("pre", "fault", fault));
  if (printed) row.append(made("pre", "", printed.trimEnd()));
  return row;
}

function describeSeconds(seconds) {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(2)} s`;
}
