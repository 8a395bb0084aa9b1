import { UnavailableError } from '#domain/errors.js';

export interface BudgetOptions {
  /** Maximum held at once, in the callers' unit. */
  readonly total: number;
  /** Maximum held by one key; default `total`. */
  readonly perKey?: number;
  /** Waiting callers of one key; one more is refused. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
  /** Names what is busy, for the message of a refused caller; without the advice to retry. */
  readonly busy: string;
}

interface Waiter {
  readonly amount: number;
  readonly admit: () => void;
}

/**
 * Bounds what this process holds at once. Callers beyond the bound wait for a limited time, in order within a key (a
 * workspace, a stream) and in turns between keys.
 */
export class Budget {
  private total = 0;
  private readonly byKey = new Map<string, number>();
  /** Queues by key, in the order of their turns. No queue is empty. */
  private readonly waiting = new Map<string, Waiter[]>();

  constructor(private readonly options: BudgetOptions) {}

  /** Held now. */
  get held(): number {
    return this.total;
  }

  /**
   * Resolves once `amount` is held for `key`, with what gives it back: exactly once, however often called. An amount beyond the
   * bound counts as all of it, so that it is held alone rather than never.
   * @throws UnavailableError when too many wait, or the wait was too long
   */
  async take(amount: number, key: string): Promise<() => void> {
    const counted = Math.min(amount, this.options.total, this.options.perKey ?? Infinity);
    if (this.waiting.size === 0 && this.fits(counted, key)) this.hold(counted, key);
    else await this.wait(counted, key);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.giveBack(counted, key);
    };
  }

  /** Runs `use` while `amount` is held. @throws UnavailableError */
  async within<T>(amount: number, key: string, use: () => Promise<T>): Promise<T> {
    const giveBack = await this.take(amount, key);
    try {
      return await use();
    } finally {
      giveBack();
    }
  }

  private fits(amount: number, key: string): boolean {
    const { total, perKey = total } = this.options;
    return this.total + amount <= total && (this.byKey.get(key) ?? 0) + amount <= perKey;
  }

  private hold(amount: number, key: string): void {
    this.total += amount;
    this.byKey.set(key, (this.byKey.get(key) ?? 0) + amount);
  }

  private giveBack(amount: number, key: string): void {
    this.total -= amount;
    const left = this.byKey.get(key)! - amount;
    if (left > 0) this.byKey.set(key, left);
    else this.byKey.delete(key);
    if (this.waiting.size > 0) this.admit();
  }

  private wait(amount: number, key: string): Promise<void> {
    const { maxWaiting, maxWaitMs, busy } = this.options;
    const queue = this.waiting.get(key) ?? [];
    const refusal = () => new UnavailableError(`${busy}; try again`);
    if (queue.length >= maxWaiting) return Promise.reject(refusal());
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        amount,
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.leave(waiter, key);
        reject(refusal());
      }, maxWaitMs);
      queue.push(waiter);
      this.waiting.set(key, queue);
      this.admit();
    });
  }

  private leave(waiter: Waiter, key: string): void {
    const queue = this.waiting.get(key)!;
    queue.splice(queue.indexOf(waiter), 1);
    if (queue.length === 0) this.waiting.delete(key);
    // A smaller waiter may fit although the first in turn does not.
    this.admit();
  }

  /**
   * Admits callers that fit. A key that lacks room in the total holds back those behind it, so that large amounts get
   * their turn.
   */
  private admit(): void {
    for (const [key, queue] of this.waiting) {
      const { amount, admit } = queue[0]!;
      if (this.fits(amount, key)) {
        this.hold(amount, key);
        queue.shift();
        // Reinserted at the end, the key is met again by this very loop.
        this.waiting.delete(key);
        if (queue.length > 0) this.waiting.set(key, queue);
        admit();
      } else if (this.total + amount > this.options.total) return;
    }
  }
}
