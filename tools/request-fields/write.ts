import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIALECTS } from '#calls/hosted/fields/index.js';
import { fieldsPage } from '#calls/hosted/fields/page.js';

// Run at the root of the repository, as `npm run docs:fields` does.
writeFileSync(join('docs', 'reference', 'request-fields.md'), fieldsPage(DIALECTS));
