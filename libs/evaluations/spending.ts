import { dollars } from '#domain/inference/index.js';
import { EvaluationError } from './errors.js';

/** The costs of an evaluation's calls, in picodollars, which never exceed its bound. */
export class Spending {
  private reserved = 0n;
  private readonly open = new Set<Promise<unknown>>();

  /** @param spent by answers that exist already */
  constructor(
    private readonly max: bigint | null,
    private spent: bigint,
  ) {}

  /**
   * Runs a call once its worst case fits within the budget with the running ones.
   * @param costOf the call's result
   * @throws EvaluationError it does not fit even alone
   */
  async run<T>(worstCase: bigint, call: () => Promise<T>, costOf: (result: T) => bigint): Promise<T> {
    if (this.max === null) return call();
    while (this.spent + this.reserved + worstCase > this.max) {
      if (this.open.size === 0)
        throw new EvaluationError(
          `the next call may cost $${shown(worstCase)}, which is more than max_cost leaves: $${shown(this.spent)} of $${shown(this.max)} are spent`,
        );
      await Promise.race(this.open);
    }
    this.reserved += worstCase;
    const running = call();
    const settled = running.then(
      (result) => void (this.spent += costOf(result)),
      () => undefined,
    );
    this.open.add(settled);
    try {
      await settled;
      return await running;
    } finally {
      this.open.delete(settled);
      this.reserved -= worstCase;
    }
  }
}

const shown = (picodollars: bigint): string => String(Number(dollars(picodollars).toPrecision(3)));
