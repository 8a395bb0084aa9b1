import type { QueueFull } from '#gpu-runner/contract/inference.js';

/** Characters of a workspace's parts that a thread has at once, plus one part that is larger. */
const MAX_IN_THREAD = 4_096;
/** Characters of a workspace that may wait; a call may be of any size if nothing else waits. */
export const MAX_WAITING = 8 * 1024 * 1024;

/** A part of a call, as it goes to a thread. */
export interface QueuedPart<Answer> {
  readonly cost: number;
  readonly run: (call: number) => Promise<Answer>;
}

/**
 * Parts that wait for the threads, by workspace. The threads have little of each workspace at once, so that work for
 * disconnected clients is dropped; the calls of one workspace contribute a part each, in turns.
 */
export class PartQueue {
  private readonly lines = new Map<string, Line>();
  private lastCall = 0;

  /** @param drop informs the threads that a call was abandoned */
  constructor(
    private readonly threads: number,
    private readonly drop: (call: number) => void,
  ) {}

  /** Characters of parts that have not started. */
  get waiting(): number {
    return [...this.lines.values()].reduce((sum, { waiting }) => sum + waiting, 0);
  }

  /**
   * @returns the results of the parts, in their order
   * @throws what a part threw; the signal's reason once it is aborted
   */
  async run<Answer>(
    workspaceId: string,
    parts: readonly QueuedPart<Answer>[],
    signal?: AbortSignal,
  ): Promise<readonly Answer[] | QueueFull> {
    signal?.throwIfAborted();
    let line = this.lines.get(workspaceId);
    if (!line) this.lines.set(workspaceId, (line = { calls: [], waiting: 0, partsInThreads: 0, large: 0, small: 0 }));
    const cost = parts.reduce((sum, part) => sum + part.cost, 0);
    if (line.waiting > 0 && line.waiting + cost > MAX_WAITING)
      return { waiting: line.waiting, mostWaiting: MAX_WAITING };
    this.lastCall += 1;
    const call = new QueuedCall(this.lastCall, parts);
    line.calls.push(call);
    line.waiting += cost;
    this.startMore(workspaceId, line);
    const gone = () => call.reject(signal!.reason);
    signal?.addEventListener('abort', gone);
    try {
      return (await call.answered) as readonly Answer[];
    } catch (error) {
      this.leave(workspaceId, line, call);
      throw error;
    } finally {
      signal?.removeEventListener('abort', gone);
    }
  }

  private startMore(workspaceId: string, line: Line): void {
    for (;;) {
      const first = line.calls.findIndex(({ parts, next }) => this.hasRoom(line, parts[next]!.cost));
      if (first < 0) break;
      const [call] = line.calls.splice(first, 1) as [QueuedCall];
      const at = call.next++;
      const part = call.parts[at]!;
      if (call.next < call.parts.length) line.calls.push(call);
      line.waiting -= part.cost;
      line.partsInThreads += 1;
      const isLarge = part.cost > MAX_IN_THREAD;
      if (isLarge) line.large += 1;
      else line.small += part.cost;
      void part
        .run(call.id)
        .then(
          (answer) => call.answer(at, answer),
          (error: unknown) => call.reject(error),
        )
        .finally(() => {
          line.partsInThreads -= 1;
          if (isLarge) line.large -= 1;
          else line.small -= part.cost;
          this.startMore(workspaceId, line);
        });
    }
    if (line.calls.length === 0 && line.partsInThreads === 0) this.lines.delete(workspaceId);
  }

  private hasRoom({ large, small }: Line, cost: number): boolean {
    return cost > MAX_IN_THREAD ? large < this.threads : small + cost <= MAX_IN_THREAD * this.threads;
  }

  private leave(workspaceId: string, line: Line, call: QueuedCall): void {
    if (call.next > 0) this.drop(call.id);
    const at = line.calls.indexOf(call);
    if (at < 0) return;
    line.calls.splice(at, 1);
    for (const { cost } of call.parts.slice(call.next)) line.waiting -= cost;
    call.next = call.parts.length;
    this.startMore(workspaceId, line);
  }
}

/** The parts of one workspace, waiting and running. */
interface Line {
  /** Calls with parts that have not started. */
  readonly calls: QueuedCall[];
  waiting: number;
  partsInThreads: number;
  /** Parts in threads that are larger than a thread has at once. */
  large: number;
  /** Characters of the others there. */
  small: number;
}

class QueuedCall {
  next = 0;
  readonly answered: Promise<readonly unknown[]>;
  readonly reject: (error: unknown) => void;
  private readonly resolve: (answers: readonly unknown[]) => void;
  private readonly answers: unknown[] = [];
  private left: number;

  constructor(
    readonly id: number,
    readonly parts: readonly QueuedPart<unknown>[],
  ) {
    this.left = parts.length;
    ({
      promise: this.answered,
      resolve: this.resolve,
      reject: this.reject,
    } = Promise.withResolvers<readonly unknown[]>());
  }

  answer(at: number, answer: unknown): void {
    this.answers[at] = answer;
    this.left -= 1;
    if (this.left === 0) this.resolve(this.answers);
  }
}
