import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDER } from './folders.js';
import type { Result, Trial } from './trial.js';

const FILE = join(FOLDER, 'results.jsonl');

/** The newest result of each trial that was ever measured here. */
export class Results {
  private readonly byTrial = new Map<string, Result>();

  constructor() {
    if (!existsSync(FILE)) return;
    for (const line of readFileSync(FILE, 'utf8').trimEnd().split('\n')) this.keep(JSON.parse(line) as Result);
  }

  of({ set, rows, draw, system }: Trial): Result | undefined {
    return this.byTrial.get(keyOf(set.name, rows, draw, system.name));
  }

  add(result: Result): void {
    mkdirSync(FOLDER, { recursive: true });
    appendFileSync(FILE, `${JSON.stringify(result)}\n`);
    this.keep(result);
  }

  private keep(result: Result): void {
    this.byTrial.set(keyOf(result.set, result.rows, result.draw, result.system), result);
  }
}

const keyOf = (...parts: readonly (string | number)[]): string => parts.join('/');
