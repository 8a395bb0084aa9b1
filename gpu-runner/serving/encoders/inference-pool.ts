import { availableParallelism } from 'node:os';
import { startThread, ThreadCallError, type Thread } from '#primitives/thread/thread.js';
import type { EmbedPart, InferencePart, InferenceThreadOptions } from './inference-thread.js';
import { costOf, groupsOf, joined, PART_CHARACTERS } from './call-parts.js';
import { PartQueue } from './part-queue.js';
import { inferenceError, isInferenceCode, type InferenceErrors } from '#gpu-runner/contract/inference-errors.js';
import type { EmbedAnswer, EmbedReply, InferenceAnswer, QueueFull } from '#gpu-runner/contract/inference.js';

/** Parts of at most this number of characters are short: they may go to their own thread while the others read large ones. */
const SHORT_CHARACTERS = 512;
/** Number of short parts after which their thread starts even without a large one, so that it is fast when one comes. */
const SHORT_BEFORE_START = 100;
/**
 * Runs of a short part, or their milliseconds, after which V8 has compiled most of the code: the first take 3 to 10
 * times as long.
 */
const WARM_UP = { runs: 100, ms: 250 };
const SERVICE = 'inference';

/** Work for a model; the pool cuts it into parts. */
type Asked<Part> = Omit<Part, 'call' | 'short'>;

/**
 * Threads that run models: one for each core but one, each started when first needed, and again after it has failed.
 * One more takes short parts while all of those read large ones, so that no short call waits for a step of a large one,
 * which is slow with an encoder. It starts after some short parts, or with the first large one.
 */
export class InferencePool {
  private readonly workers: readonly Worker[];
  private readonly forShort: Worker;
  private readonly queue: PartQueue;
  private shortParts = 0;

  constructor(options: InferenceThreadOptions, size = Math.max(1, availableParallelism() - 1)) {
    this.workers = Array.from({ length: size }, () => new Worker(options));
    this.forShort = new Worker(options);
    this.queue = new PartQueue(size, (call) => this.all.forEach((worker) => worker.drop(call)));
  }

  /** Characters of calls that wait for a thread. */
  get waiting(): number {
    return this.queue.waiting;
  }

  /**
   * @throws InferenceError, DamagedCacheError of a thread (see `isDamagedCache`)
   * @throws ThreadStoppedError when the thread failed under the call
   * @throws the signal's reason once it is aborted: the rest of an abandoned call is not run
   */
  async run(asked: Asked<InferencePart>, signal?: AbortSignal): Promise<InferenceAnswer | QueueFull> {
    const answers = await this.inParts('run', asked, signal);
    return 'waiting' in answers ? answers : joined(answers);
  }

  /** @throws as `run` */
  async embed(asked: Asked<EmbedPart>, signal?: AbortSignal): Promise<EmbedReply> {
    const replies = await this.inParts('embed', asked, signal);
    if ('waiting' in replies) return replies;
    const groups = groupsOf(asked.texts);
    let before = 0;
    for (const [index, reply] of replies.entries()) {
      if ('tooLong' in reply) return { tooLong: before + reply.tooLong };
      before += groups[index]!.length;
    }
    const answers = replies as readonly EmbedAnswer[];
    return {
      vectors: answers.flatMap(({ vectors }) => vectors),
      inputTokens: answers.flatMap(({ inputTokens }) => inputTokens),
    };
  }

  /** Drops the model of this folder in every thread. */
  async forget(adapterDirectory: string): Promise<void> {
    await Promise.all(this.all.map((worker) => worker.forget(adapterDirectory)));
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((worker) => worker.close()));
  }

  private inParts<Name extends keyof Methods>(
    method: Name,
    asked: Asked<Parameters<Methods[Name]>[0]>,
    signal: AbortSignal | undefined,
  ): Promise<readonly ReturnType<Methods[Name]>[] | QueueFull> {
    const parts = groupsOf(asked.texts).map((texts) => {
      const cost = costOf(texts);
      const part = { ...asked, texts, short: cost <= SHORT_CHARACTERS };
      return {
        cost,
        run: (call: number) => {
          const at = { ...part, call } as unknown as Parameters<Methods[Name]>[0];
          const worker = part.short ? this.workerForShort(method, at) : this.leastBusy;
          return worker.run(method, at, cost);
        },
      };
    });
    return this.queue.run(asked.workspaceId, parts, signal);
  }

  private get all(): readonly Worker[] {
    return [...this.workers, this.forShort];
  }

  private get leastBusy(): Worker {
    return this.workers.reduce((one, other) => (other.busy < one.busy ? other : one));
  }

  private workerForShort<Name extends keyof Methods>(method: Name, part: Parameters<Methods[Name]>[0]): Worker {
    const least = this.leastBusy;
    const isReading = least.busy >= PART_CHARACTERS;
    this.shortParts += 1;
    if (!isReading && this.shortParts < SHORT_BEFORE_START) return least;
    return this.forShort.isWarm(method, part) && isReading ? this.forShort : least;
  }
}

interface Methods {
  readonly run: (part: InferencePart) => InferenceAnswer;
  readonly embed: (part: EmbedPart) => EmbedReply;
}

class Worker {
  /** Approximate number of characters left to read. */
  busy = 0;
  private thread: Promise<Thread> | null = null;
  /** Methods of engines, by whether the thread has compiled their code. */
  private readonly warm = new Map<string, boolean>();

  constructor(private readonly options: InferenceThreadOptions) {}

  async run<Name extends keyof Methods>(
    method: Name,
    part: Parameters<Methods[Name]>[0],
    cost: number,
  ): Promise<ReturnType<Methods[Name]>> {
    this.busy += cost;
    try {
      const thread = await (this.thread ??= this.start());
      return await thread.call<ReturnType<Methods[Name]>>(SERVICE, method, [part]);
    } catch (error) {
      throw asThrown(error);
    } finally {
      this.busy -= cost;
    }
  }

  /** Whether it runs such parts at full speed; if not, it begins to warm up with this one. */
  isWarm<Name extends keyof Methods>(method: Name, part: Parameters<Methods[Name]>[0]): boolean {
    const kind = `${method} ${part.engine}`;
    const isWarm = this.warm.get(kind);
    if (isWarm === undefined) {
      this.warm.set(kind, false);
      this.warmUp(method, part).then(
        () => this.warm.set(kind, true),
        () => this.warm.delete(kind),
      );
    }
    return isWarm === true;
  }

  private async warmUp<Name extends keyof Methods>(method: Name, part: Parameters<Methods[Name]>[0]): Promise<void> {
    // The first run starts the thread and loads the model, which may take longer than all others.
    await this.run(method, part, 0);
    const until = performance.now() + WARM_UP.ms;
    for (let run = 1; run < WARM_UP.runs && performance.now() < until; run += 1) await this.run(method, part, 0);
  }

  drop(call: number): void {
    void this.thread?.then((thread) => thread.call(SERVICE, 'drop', [call])).catch(() => undefined);
  }

  /** A thread that has not started, or has failed, keeps nothing. */
  async forget(adapterDirectory: string): Promise<void> {
    const thread = await this.thread?.catch(() => null);
    await thread?.call(SERVICE, 'forget', [adapterDirectory]).catch(() => undefined);
  }

  async close(): Promise<void> {
    const thread = await this.thread?.catch(() => null);
    await thread?.close();
  }

  private async start(): Promise<Thread> {
    const module = import.meta.resolve('./inference-thread.js');
    const forget = () => {
      this.thread = null;
      this.warm.clear();
    };
    const services = [{ name: SERVICE, module, options: this.options }];
    try {
      return await startThread(services, { name: 'infer', onFailure: forget });
    } catch (error) {
      forget();
      throw error;
    }
  }
}

/** The class of an error is lost between threads; its code and fields are not. */
function asThrown(error: unknown): unknown {
  if (!(error instanceof ThreadCallError) || !isInferenceCode(error.code)) return error;
  return inferenceError(error.code, error.details['details'] as InferenceErrors[typeof error.code], error.message);
}
