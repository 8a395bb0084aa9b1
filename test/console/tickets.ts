import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, '../../../examples/support-tickets.jsonl');

/** The lines of the example, each a row. */
export const TICKETS: readonly string[] = readFileSync(FILE, 'utf8').trimEnd().split('\n');
