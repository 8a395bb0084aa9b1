interface VerdictTraits {
  /** Whether the answer was right; null: nobody knows. */
  readonly isRight: boolean | null;
  /** Whether the right answer comes with the verdict. */
  readonly correction: 'required' | 'optional' | 'refused';
}

/** What follows from each verdict. */
export const VERDICT_TRAITS = {
  correct: { isRight: true, correction: 'optional' },
  incorrect: { isRight: false, correction: 'required' },
  unsure: { isRight: null, correction: 'refused' },
} as const satisfies Record<string, VerdictTraits>;

export type Verdict = keyof typeof VERDICT_TRAITS;
export const VERDICTS = Object.keys(VERDICT_TRAITS) as Verdict[];

const traitsOf = (verdict: unknown): VerdictTraits | undefined =>
  (VERDICT_TRAITS as Readonly<Record<string, VerdictTraits>>)[String(verdict)];

/** @returns null if the verdict does not tell, or is none */
export const isRight = (verdict: unknown): boolean | null => traitsOf(verdict)?.isRight ?? null;

export const needsCorrection = (verdict: unknown): boolean => traitsOf(verdict)?.correction === 'required';

/** Verdicts by which an answer was right or wrong, and so tell what to learn. */
export type DecidedVerdict = {
  [Each in Verdict]: (typeof VERDICT_TRAITS)[Each]['isRight'] extends boolean ? Each : never;
}[Verdict];
export const DECIDED_VERDICTS = VERDICTS.filter((verdict): verdict is DecidedVerdict => isRight(verdict) !== null);
export const WRONG_VERDICTS = VERDICTS.filter((verdict) => isRight(verdict) === false);

/** The right output according to a verdict; null if it does not tell. */
export const rightOutput = <Output>(verdict: Verdict, output: Output, corrected: Output | null): Output | null =>
  isRight(verdict) === true ? (corrected ?? output) : corrected;
