// Button that asks for confirmation: the first click shows the question, the second one confirms it.

// Milliseconds. A double click is one touch; a question that nobody answers goes away.
const TWICE = { least: 400, most: 5000 };

// Returns the function that takes the question back.
function askTwice(button, question, onSure) {
  const plain = button.textContent;
  let asked = null;
  let timer = null;
  const say = (text, when) => {
    clearTimeout(timer);
    asked = when;
    button.textContent = text;
    button.classList.toggle("asking", when !== null);
  };
  const takeBack = () => say(plain, null);
  button.addEventListener("click", ({ timeStamp }) => {
    if (asked === null) {
      say(question, timeStamp);
      timer = setTimeout(takeBack, TWICE.most);
    } else if (timeStamp - asked >= TWICE.least) {
      takeBack();
      onSure();
    }
  });
  button.addEventListener("keydown", (event) => event.repeat && event.preventDefault());
  for (const kind of ["pointerdown", "keydown"]) {
    document.addEventListener(kind, (event) => event.target !== button && takeBack(), true);
  }
  return takeBack;
}
