import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

/** Results and the Python environment of the baselines; not under version control. */
export const FOLDER = join(ROOT, '.quality');
