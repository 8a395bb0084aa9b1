import type { Schema } from '../api/client.js';

export type VerdictName = NonNullable<Schema['FeedbackBody']['verdict']>;

interface VerdictButton {
  readonly label: string;
  readonly keys: readonly string[];
  /** After the keys, for those who use them. */
  readonly does: string;
  /** Whether the right answer is asked for first. */
  readonly corrects: boolean;
}

export const VERDICT_BUTTONS: Readonly<Record<VerdictName, VerdictButton>> = {
  correct: { label: 'Right', keys: ['c'], does: 'is right', corrects: false },
  incorrect: { label: 'Fix it', keys: ['i', 'e'], does: 'fixes it', corrects: true },
  unsure: { label: 'Unsure', keys: ['u'], does: 'is unsure', corrects: false },
};
export const VERDICT_NAMES = Object.keys(VERDICT_BUTTONS) as VerdictName[];
