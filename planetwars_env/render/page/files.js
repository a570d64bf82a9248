// Files that somebody drops on a page or chooses.

// ``onFile``: called with each one.
function takeFiles(input, onFile) {
  input.addEventListener("change", () => {
    if (input.files.length) onFile(input.files[0]);
    input.value = "";
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) onFile(event.dataTransfer.files[0]);
  });
}
