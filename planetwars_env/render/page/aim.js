// Forecast of the move in the hand, in words.

// ``player``: who sends; ``names``: of both.
function describeOutcome({ turns, without, after, least }, people, player, names) {
  const need = least > 0 ? `${least} ${least === 1 ? "takes" : "take"} it` : least < 0 ? "no number takes it" : "";
  const winner = ownerOfPeople(after);
  const end = winner
    ? `${winner === player ? "yours" : `${names[winner - 1]}'s`} with ${countThere(after)}`
    : "nobody's";
  const then = `your ${people} ${people === 1 ? "makes" : "make"} it ${end}`;
  const now = `in ${counted(turns, "turn")}: ${describeThere(without, player, names)} there`;
  return [now, need, then].filter(Boolean).join("; ");
}

// People of both players on a planet, as ``player`` sees them.
function describeThere(there, player, names) {
  const owner = ownerOfPeople(there);
  const whose = owner === player ? "of yours" : owner ? `of ${names[owner - 1]}` : "of nobody";
  return there[0] + there[1] ? `${countThere(there)} ${whose}` : "nobody";
}

// People on a planet without a move and with it.
function describeChange(without, after, player, names) {
  const owner = ownerOfPeople(after);
  const whose = owner === player ? " yours" : owner ? ` ${names[owner - 1]}'s` : " nobody's";
  return `${countThere(without)} → ${countThere(after)}${owner === ownerOfPeople(without) ? "" : whose}`;
}

function countThere([first, second]) {
  return first && second ? `${first} and ${second}` : String(first + second);
}
