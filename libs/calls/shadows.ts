import { DomainError } from '#domain/errors.js';
import { HostedModelError } from './hosted/errors.js';
import { UNREPORTED, type Background } from '#primitives/background/background.js';
import type { Model } from './models.js';
import type { CallRequest } from './request.js';

/** Shadow calls that this process runs at a time; those beyond are left out. */
export const MAX_SHADOWS = 8;

/**
 * Repeats answered calls of a name on the version that shadows it. A shadow call is recorded and billed as a call; no
 * client waits for it or sees it fail.
 */
export class Shadows {
  private readonly closing = new AbortController();
  private readonly running = new Set<Promise<void>>();

  /** @param onLeftOut called for each shadow call that is skipped because the maximum is running */
  constructor(
    private readonly onLeftOut: () => void = () => undefined,
    private readonly background: Background = UNREPORTED,
  ) {}

  /**
   * The same call, which is repeated once it is answered, if its model has a shadow. Calls that leave no content are
   * skipped, since the two answers could not be compared; a shadow that answers no such calls is left out, and counted.
   */
  of<Call extends CallRequest>(call: Call, model: Model, repeat: (call: Call, model: Model) => Promise<unknown>): Call {
    const { shadow } = model;
    if (!shadow || !call.store) return call;
    const shadowed = this.again(call, async (again) => {
      const other = await shadow();
      if (answersAlike(model, other)) await repeat(again, other);
      else this.onLeftOut();
    });
    return { ...shadowed, isShadowed: true };
  }

  /** The same call, which `repeat` is given again, as one that nobody waits for, once it is answered. */
  again<Call extends CallRequest>(call: Call, repeat: (again: Call) => Promise<unknown>): Call {
    const { start: _, isShadowed: _is, onAnswered, ...rest } = call;
    const again = async (shadowOf: string): Promise<void> => {
      await repeat({ ...(rest as unknown as Call), shadowOf, signal: this.closing.signal });
    };
    return {
      ...call,
      onAnswered: (inferenceId) => {
        onAnswered?.(inferenceId);
        this.begin(() => again(inferenceId));
      },
    };
  }

  /** Resolves once none is running. Running ones are cancelled. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all(this.running);
  }

  /** A failure of the model is on record, and a refusal leaves the shadow out. @throws any other error */
  private readonly leaveOut = (error: unknown): void => {
    const isForeseen = error instanceof HostedModelError || error instanceof DomainError;
    if (!isForeseen && !this.closing.signal.aborted) throw error;
  };

  private begin(work: () => Promise<void>): void {
    if (this.closing.signal.aborted) return;
    if (this.running.size >= MAX_SHADOWS) return this.onLeftOut();
    const run = this.background.once('call-shadow', work().catch(this.leaveOut));
    this.running.add(run);
    void run.then(() => this.running.delete(run));
  }
}

type Answering = Pick<Model, 'entry' | 'cascade'>;

/** Whether two models take the same calls: distilled versions those of their teachers, and texts to label as well. */
function answersAlike(one: Answering, other: Answering): boolean {
  const kinds = ({ entry, cascade }: Answering) => [entry.task_type, ...(cascade ? ['decoder'] : [])];
  return kinds(one).some((kind) => kinds(other).includes(kind));
}
