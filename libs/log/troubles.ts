/** The code of a reason in `/health`: the log cannot be read. */
export const LOG_UNREADABLE = 'log_unreadable';

/** Failures in a row that pass unreported: a server that is replaced ends subscriptions a few times. */
const PASSING = 3;

/** The failures of one subscription to the log. */
export class Troubles {
  /** Why the log cannot be read now; null while it can. */
  error: string | null = null;
  private inARow = 0;

  /** @param onLasting called once when more than three in a row have failed */
  constructor(private readonly onLasting: (error: Error) => void = () => undefined) {}

  readonly met = (error: Error): void => {
    this.error = error.message;
    this.inARow += 1;
    if (this.inARow === PASSING + 1) this.onLasting(error);
  };

  /** The log has been read. */
  over(): void {
    this.error = null;
    this.inARow = 0;
  }
}
