import { writeFileSync } from 'node:fs';
import { eventCatalogue } from './catalogue.js';
import { formattedPage } from './page.js';

// Run at the root of the repository, as `npm run docs:events` does.
const catalogue = eventCatalogue('.');
writeFileSync('apps/api/events/event-types.json', `${JSON.stringify(catalogue, null, 2)}\n`);
writeFileSync('docs/events.md', await formattedPage(catalogue));
