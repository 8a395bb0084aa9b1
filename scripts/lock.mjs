// Removes `engines` from the packages of package-lock.json. npm compares them with the installed Node and warns of each mismatch,
// but the packages run on the Node that comes with them (node24.mjs). The project's own `engines` stays.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, '..', 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
for (const [path, entry] of Object.entries(lock.packages)) if (path !== '') delete entry.engines;
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
