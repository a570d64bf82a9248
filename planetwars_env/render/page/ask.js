// What pages ask the server, besides what goes on in a game.

const pageData = JSON.parse(document.getElementById("data").textContent);

const NO_SERVER_HERE = "That needs the program: pip install planetwars-env, then planetwars play";
const NO_ANSWER =
  "The server does not answer. If it has ended, start it again (planetwars play); " +
  "games of people, bots and agents on the named graphs need no server";

const NEW_LINK = "The server was started again, and knows this page no more: open the new link that it printed.";

// The server's answer: to ``body`` (a file, or what becomes JSON) if there is one; {error} where it has none.
async function ask(path, body = null) {
  if (!pageData.server) return { error: NO_SERVER_HERE };
  const place = new URL(path, location.href);
  if (pageData.token) place.searchParams.set("token", pageData.token);
  const sent = body instanceof Blob ? body : JSON.stringify(body);
  try {
    const answer = await fetch(place, body === null ? {} : { method: "POST", body: sent });
    return answer.status === 403 ? { error: NEW_LINK } : await answer.json();
  } catch {
    return { error: NO_ANSWER };
  }
}
