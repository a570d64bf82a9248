// Memory of the fog: hidden planets with what was seen of them last. A switch, which is remembered, leaves it out.

class FogMemory {
  // ``onChange``: called when the switch was turned.
  constructor(button, onChange) {
    this.button = button;
    this.on = stored("memory") !== "off";
    button.addEventListener("click", () => {
      this.on = !this.on;
      store("memory", this.on ? "on" : "off");
      onChange();
    });
  }

  // Adds ``last`` to the hidden planets of a state, for drawing.js and details.js.
  apply({ state, memory }) {
    press(this.button, this.on);
    state?.planets.forEach((planet) => delete planet.last);
    if (!this.on || !state) return;
    for (const seen of memory) state.planets[seen.planet].last = seen;
  }
}
