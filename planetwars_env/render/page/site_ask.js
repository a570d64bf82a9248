// What pages ask a server is answered in the page itself on a site of files (web/answers.mjs).

const pageData = JSON.parse(document.getElementById("data").textContent);
const answers = new Answers(pageData.local);

// As of ask.js. An answer that is another page opens it.
async function ask(path, body = null) {
  const answer = await answers.answer(path, body);
  if (!answer.go) return answer;
  location.href = answer.go;
  return new Promise(() => {});
}
