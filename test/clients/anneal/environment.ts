import { join } from 'node:path';
import { pythonWith } from '../support/python.js';

// Only TypeScript is built into dist/.
/** Folder of the Python client. */
export const PACKAGE = join(import.meta.dirname, '..', '..', '..', '..', 'clients', 'python');
/** Folder of its modules. */
export const MODULES = join(PACKAGE, 'src', 'anneal');

/** A Python with what the client needs, and what it is generated, checked and tested with. @throws InstallError */
export const clientPython = (): Promise<string> => pythonWith('anneal-python', join(PACKAGE, 'requirements-test.lock'));
