// Replays from files: dropped anywhere on the play page, or chosen in the setup dialog. The server makes the page to
// watch.

// ``tell``: called with a sentence on what is wrong.
function openReplays(input, tell) {
  takeFiles(input, async (file) => {
    const { page, error } = await ask("/watch", file);
    if (error) return tell(`${file.name}: ${error}`);
    location.href = URL.createObjectURL(new Blob([page], { type: "text/html" }));
  });
}
