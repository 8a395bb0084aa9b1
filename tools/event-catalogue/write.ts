import { writeFileSync } from 'node:fs';
import { eventCatalogue } from './catalogue.js';
import { formatted, pageOf } from './page.js';

// Run at the root of the repository, as `npm run docs:events` does.
const catalogue = eventCatalogue('.');
for (const [path, text] of [
  ['libs/log/event-types.json', JSON.stringify(catalogue)],
  ['docs/events.md', pageOf(catalogue)],
] as const)
  writeFileSync(path, await formatted(path, text));
