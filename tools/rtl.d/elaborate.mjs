// SPDX-License-Identifier: BSD-2-Clause
// elaborate.mjs MODULES OUT SCRIPT FILE...: runs a yosys script that reads the FILEs, and keeps what it writes in OUT.
//
// Debian's yosys reads too little SystemVerilog, so one compiled to WebAssembly (in the node_modules folder MODULES)
// reads it; Debian's own, which is several times faster, does the rest with what this one writes.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, out, script, ...files] = process.argv.slice(2);
const { runYosys } = await import(pathToFileURL(join(modules, '@yowasp/yosys/gen/bundle.js')));
const inputs = Object.fromEntries(files.map((file) => [basename(file), readFileSync(file)]));

try {
  const outputs = await runYosys(['-q', '-p', script], inputs);
  for (const [name, data] of Object.entries(outputs)) {
    if (!(name in inputs) && (typeof data === 'string' || data instanceof Uint8Array)) {
      writeFileSync(join(out, name), data);
    }
  }
} catch (error) {
  process.exit(error.code ?? 1); // yosys has printed the error
}
