import { writeFileSync } from 'node:fs';
import { eventCatalogue } from './catalogue.js';
import { formatted, pageOf } from './page.js';

// Run at the root of the repository, as `npm run docs:events` does.
const catalogue = eventCatalogue('.');
const copy = 'libs/log/event-types.json';
writeFileSync(copy, await formatted(copy, JSON.stringify(catalogue)));
writeFileSync('docs/reference/events.md', pageOf(catalogue));
