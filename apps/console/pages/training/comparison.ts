/** Which of two shares is the better one; null if neither is, or one is missing. */
export function betterOf(one: number | null | undefined, other: number | null | undefined): 'one' | 'other' | null {
  if (typeof one !== 'number' || typeof other !== 'number' || one === other) return null;
  return one > other ? 'one' : 'other';
}

/** Whether a difference is sure: its interval does not hold 0. */
export const isSure = ({ low, high }: { readonly low: number | null; readonly high: number | null }): boolean =>
  low !== null && high !== null && (low > 0 || high < 0);

const P_DIGITS = 3;
const SMALLEST_P = 10 ** -P_DIGITS;

/** A p-value, which is never 0: a small one is below a bound. */
export const pValue = (p: number): string => (p < SMALLEST_P ? `< ${SMALLEST_P}` : String(Number(p.toFixed(P_DIGITS))));

interface Dataset {
  readonly name: string;
  readonly version: string | number;
  readonly held_out?: boolean;
}

/** Where the judged rows of a job come from: the datasets that it holds out whole, or a part of all that it learned from. */
export function judgedRowsOf(datasets: readonly Dataset[]): string {
  const whole = datasets.filter(({ held_out }) => held_out === true);
  const names = (whole.length > 0 ? whole : datasets).map(({ name, version }) => `${name} ${version}`).join(', ');
  return whole.length > 0 ? `of ${names}` : `held out of ${names}`;
}
