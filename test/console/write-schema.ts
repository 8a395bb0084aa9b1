import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestApi } from '#test/support/api.js';
import { needsOf } from './needs.js';
import { typesOf } from './schema.js';

/** `npm run console:schema`: writes the types of the API that the console is compiled with, and what its routes need. */
const api = await startTestApi();
const { body } = await api.call('GET', '/openapi.json');
const folder = join(import.meta.dirname, '../../../apps/console/api');
writeFileSync(join(folder, 'schema.d.ts'), await typesOf(body));
writeFileSync(join(folder, 'needs.ts'), needsOf(body));
await api.close();
process.exit(0);
