import { cpus } from 'node:os';
import { table, writeBetween } from '../page.js';
import { ARMS, readMonth, type ArmName, type Change, type MonthResult, type MonthRound } from './result.js';

/**
 * Writes the month that was measured last into docs/guides/improving.md.
 * @returns why nothing was written; null once it was
 */
export function writeMonth(): string | null {
  const result = readMonth();
  if (!result) return 'no month was measured here yet';
  writeBetween('guides/improving.md', 'month', figures(result));
  return null;
}

function figures(result: MonthResult): string {
  const { date, minutes, rounds } = result;
  const machine = `${cpus().length} cores (${cpus()[0]!.model}), Node ${process.versions.node}`;
  return [
    `${rounds.length} rounds, measured ${date} on ${machine} in ${minutes} minutes, while the machine did other work.`,
    summary(rounds),
  ].join('\n\n');
}

function summary(rounds: readonly MonthRound[]): string {
  return table([
    ['mean of all rounds', 'never retrained', 'retrained without a gate', 'behind the gate'],
    ['F1 on the mix of the round', ...ARMS.map((arm) => meanOf(rounds, arm, 'round'))],
    ['F1 on the mix of the next round', ...ARMS.map((arm) => meanOf(rounds, arm, 'next'))],
    ['F1 on all labels so far', ...ARMS.map((arm) => meanOf(rounds, arm, 'soFar'))],
    ['versions put in use', 0, promotions(rounds, 'naive').length, promotions(rounds, 'gate').length],
    ['of these worse than the one before', 0, worse(rounds, 'naive'), worse(rounds, 'gate')],
  ]);
}

const promotions = (rounds: readonly MonthRound[], arm: 'gate' | 'naive') =>
  rounds.filter(({ changes }) => changes[arm].difference !== null);

const worse = (rounds: readonly MonthRound[], arm: 'gate' | 'naive'): number =>
  promotions(rounds, arm).filter(({ changes }) => isWorse(changes[arm])).length;

function meanOf(rounds: readonly MonthRound[], arm: ArmName, figure: 'round' | 'next' | 'soFar'): string {
  const values = rounds.map(({ figures: of }) => of[arm][figure]).filter((value) => value !== null);
  return shown(values.reduce((sum, value) => sum + value, 0) / values.length);
}

/** Beyond noise: the interval of its difference is below zero. */
export const isWorse = ({ difference }: Change): boolean => difference !== null && difference[2] < 0;

export const shown = (share: number): string => share.toFixed(3);

export const differenceShown = ({ difference }: Change): string =>
  difference ? `${signed(difference[0])} (${signed(difference[1])} to ${signed(difference[2])})` : '';

const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(3)}`;
