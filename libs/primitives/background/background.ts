import { setTimeout as sleep } from 'node:timers/promises';

interface Log {
  error(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

interface Failures {
  backgroundFailed(name: string): void;
}

interface Repetition {
  /** Milliseconds from the end of a run to the next. */
  readonly everyMs: number;
  /** Milliseconds before the first run. Default: 0. */
  readonly delayMs?: number;
  /** Milliseconds from a failed run to the next, doubled after each further failure up to `maxRetryMs`. Default of both: `everyMs`. */
  readonly retryMs?: number;
  readonly maxRetryMs?: number;
}

export interface Repeated {
  /** Aborts the present run, and resolves once it has ended. */
  close(): Promise<void>;
}

/** The outcomes of work that its owner repeats. Of failures in a row the first is logged, and each with another message. */
export interface Watched {
  failed(error: unknown): void;
  succeeded(): void;
}

/** Work that nobody waits for: its failures are logged and counted, and do not end the process. */
export class Background {
  constructor(
    private readonly log: Log,
    /** null: failures are not counted. */
    private readonly failures: Failures | null = null,
    private readonly pause = pauseOf,
  ) {}

  /**
   * Runs work again and again, one run at a time. Of failures in a row the first is logged, and each with another message.
   * @param name in kebab case, for operators
   */
  repeat(
    name: string,
    run: (signal: AbortSignal) => Promise<void>,
    { everyMs, delayMs = 0, retryMs = everyMs, maxRetryMs = retryMs }: Repetition,
  ): Repeated {
    const closing = new AbortController();
    const { signal } = closing;
    const pause = (ms: number) => this.pause(ms, signal);
    const repeating = async () => {
      if (delayMs > 0) await pause(delayMs);
      const watched = this.watch(name);
      let retry = retryMs;
      while (!signal.aborted) {
        try {
          await run(signal);
          watched.succeeded();
          retry = retryMs;
          await pause(everyMs);
        } catch (error) {
          if (signal.aborted) return;
          watched.failed(error);
          await pause(retry);
          retry = Math.min(retry * 2, maxRetryMs);
        }
      }
    };
    const repeated = repeating();
    return {
      async close() {
        closing.abort();
        await repeated;
      },
    };
  }

  /** Lets work end by itself. @returns a promise that resolves once it has ended, also when it failed */
  async once(name: string, work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.failed(name, error);
    }
  }

  /** Reports the outcomes of work that its owner repeats. @param name in kebab case, for operators */
  watch(name: string): Watched {
    let known: string | null = null;
    return {
      failed: (error) => {
        this.failed(name, error, { isKnown: known === String(error) });
        known = String(error);
      },
      succeeded: () => {
        if (known !== null) this.log.info({ event: 'background-recovered', context: name }, `${name} works again`);
        known = null;
      },
    };
  }

  /** Reports one failure. @param isKnown the log has it already: it is only counted */
  failed(name: string, err: unknown, { isKnown = false } = {}): void {
    this.failures?.backgroundFailed(name);
    if (!isKnown) this.log.error({ event: 'background-failed', context: name, err }, `${name} failed`);
  }
}

/** Ends early when the signal aborts. */
const pauseOf = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);

/** Reports nothing: for tools and specs. */
export const UNREPORTED = new Background({ error: () => undefined, info: () => undefined });
