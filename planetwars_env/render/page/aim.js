// Forecast of the move in the hand, and in words.

class Aim {
  // ``ask``: the forecast of a move, null where the fog hides it.
  constructor(ask) {
    this.ask = ask;
    this.want(0, [], null);
  }

  // ``move``: [source, target, people] by ids, null without one; the answer depends on the turn's ``orders`` too.
  want(turn, orders, move) {
    const question = JSON.stringify({ turn, orders, move });
    if (question === this.asked) return;
    this.asked = question;
    this.outcome = move && this.ask(move);
  }
}

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

function countThere([first, second]) {
  return first && second ? `${first} and ${second}` : String(first + second);
}
