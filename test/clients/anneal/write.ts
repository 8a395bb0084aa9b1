import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '#test/servers/tools.js';
import { startTestApi } from '#test/support/api.js';
import { clientPython, MODULES, PACKAGE } from './environment.js';
import { generated, MODULES_OF_TYPES } from './generate.js';

/** `npm run client:python`: writes the generated modules of the Python client. */
const python = await clientPython();
const api = await startTestApi();
const { body } = await api.call('GET', '/openapi.json');
for (const module of MODULES_OF_TYPES)
  await writeFile(join(MODULES, module.file), await generated(module, body, python));
await run(python, [join(PACKAGE, 'scripts', 'make_sync.py')]);
await api.close();
process.exit(0);
