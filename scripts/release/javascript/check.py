"""Types of the JavaScript of pages, by TypeScript from npm: python -m scripts.release.javascript.check.

Modules are checked together, and the scripts of each page together, since they share one scope.
"""

import json
import subprocess
import sys
from pathlib import Path

from planetwars_env.render.pages import parts_of

TYPESCRIPT = "typescript@5.9.3"
HERE = Path(__file__).parent
RENDER = HERE.parents[2] / "planetwars_env" / "render"


def main() -> int:
    """Check every program; return how many have faults."""
    asking = {"play": ("ask.js",), "editor": ("site_ask.js",)}
    programs = {"modules": sorted(RENDER.glob("web/*.mjs"))}
    for page in json.loads((RENDER / "page" / "parts.json").read_text()):
        scripts = [name for name in (*asking.get(page, ()), *parts_of(page)) if name.endswith(".js")]
        programs[page] = [RENDER / "page" / name for name in scripts]
    faulty = 0
    for name, files in programs.items():
        config = HERE / f"tsconfig.{name}.json"
        given = {"extends": "./tsconfig.json", "files": ["globals.d.ts", *map(str, files)]}
        config.write_text(json.dumps(given))
        try:
            command = ["npm", "exec", "--yes", f"--package={TYPESCRIPT}", "--", "tsc", "--project", str(config)]
            faulty += subprocess.run(command, check=False).returncode != 0
        finally:
            config.unlink()
    return faulty


if __name__ == "__main__":
    sys.exit(main())
