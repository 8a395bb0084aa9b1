import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestApi } from '#test/support/api.js';
import { typesOf } from './schema.js';

/** `npm run console:schema`: writes the types of the API that the console is compiled with. */
const api = await startTestApi();
const { body } = await api.call('GET', '/openapi.json');
writeFileSync(join(import.meta.dirname, '../../../apps/console/api/schema.d.ts'), await typesOf(body));
await api.close();
process.exit(0);
