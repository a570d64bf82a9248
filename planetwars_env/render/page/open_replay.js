// Replays from files: dropped anywhere on the play page, or chosen in the setup dialog. The server makes the page to watch.
"use strict";

// ``tell``: called with a sentence on what is wrong.
function openReplays(input, tell) {
  const open = async (file) => {
    if (!file) return;
    const { page, error } = await ask("/watch", file);
    if (error) return tell(`${file.name}: ${error}`);
    location.href = URL.createObjectURL(new Blob([page], { type: "text/html" }));
  };
  input.addEventListener("change", () => {
    open(input.files[0]);
    input.value = "";
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    open(event.dataTransfer.files[0]);
  });
}
