import assert from "node:assert/strict";
import { test } from "node:test";
import { ROW, sessionOf } from "./support.mjs";

test("everything behind the front goes there on every turn, until it is switched off", async () => {
  const { session } = await sessionOf(["you", "noop"]);
  const round = async () => {
    await session.endTurn();
    await session.step();
  };
  session.order([[1, 2, 1]]);
  await round();
  session.sendToFront(true);
  const there = session._views[1].planets[0].people[0];
  assert.deepEqual(session.message().orders, [[1, 2, there - 1]]);
  await round();
  assert.equal(session.message().orders.length, 1);
  session.sendToFront(false);
  assert.deepEqual([session.message().orders, session.message().front], [[], false]);
});

test("what moves lead to is told of their destinations in sight", async () => {
  const { session } = await sessionOf(["you", "noop"]);
  assert.deepEqual(session.foresee([[1, 2, 1]]), [[2, [0, 0], [1, 0]]]);
});

test("standing orders give their moves again where the turn that ended the game is taken back", async () => {
  for (const last of [5, 20]) {
    const { session, ask } = await sessionOf(["you", "noop"], ROW, "PLANETWARS", last);
    session.order([[1, 2, 50]], true);
    for (let turn = 1; turn < 5; turn += 2) {
      await session.endTurn();
      await session.step();
    }
    const { orders } = session.message();
    assert.equal(orders.length, 1);
    await session.endTurn();
    assert.equal(session.status.over, last === 5);
    await ask("take back");
    assert.deepEqual(session.message().orders, orders);
  }
});

test("what no page would ask of the referee is refused", async () => {
  const { ask } = await sessionOf(["you", "noop"]);
  await assert.rejects(ask("fly"), /the page cannot do fly/);
});
