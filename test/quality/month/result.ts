import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDER } from '../folders.js';

const FILE = join(FOLDER, 'month.json');

/** Never retrained, retrained without a gate, and behind the gate. */
export const ARMS = ['none', 'naive', 'gate'] as const;
export type ArmName = (typeof ARMS)[number];

/** Shares of right answers: the micro-F1 of one label a text. */
export interface Figures {
  /** On the mix of the round. */
  readonly round: number;
  /** On the mix of the round after it; null after the last one. */
  readonly next: number | null;
  /** On all labels so far, each as frequent as in the files. */
  readonly soFar: number;
}

/** Outcome of an improvement. */
export interface Change {
  readonly outcome: string;
  /** Rules that refused the new version, with their labels; or what the improvement failed by. */
  readonly rules: readonly string[];
  /** F1 of the new version less that of the one before, on all labels so far, with its interval; null where none was put in use. */
  readonly difference: readonly [value: number, low: number, high: number] | null;
}

export interface MonthRound {
  readonly number: number;
  readonly isBadBatch: boolean;
  /** Labels that came in this round. */
  readonly newLabels: number;
  /** Rows of all labels so far. */
  readonly rows: number;
  readonly figures: Readonly<Record<ArmName, Figures>>;
  readonly changes: Readonly<Record<'gate' | 'naive', Change>>;
}

export interface MonthResult {
  readonly date: string;
  readonly minutes: number;
  readonly rounds: readonly MonthRound[];
}

export function keepMonth(result: MonthResult): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(FILE, `${JSON.stringify(result, null, 2)}\n`);
}

/** The month that was measured last; null where none was. */
export const readMonth = (): MonthResult | null =>
  existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as MonthResult) : null;
