import { availableParallelism } from 'node:os';
import { startThread, type Thread } from '#thread/thread.js';
import type { InferWarning } from '../engine/engine.js';
import type { EmbedPart, InferencePart, InferenceThreadOptions } from './inference-thread.js';
import { bySize } from './by-size.js';
import type { EmbedAnswer, EmbedReply, InferenceAnswer } from './protocol.js';

/** A batch is cut into parts of so many texts, so that a large one does not keep small ones waiting. */
const TEXTS_A_PART = 16;
/** An embedder is faster: what counts is how much there is to read. */
const CHARACTERS_AN_EMBEDDED_PART = 16_384;
const SERVICE = 'inference';

/** Threads that run models: one for each core but one, each started when first needed, and again after it has failed. */
export class InferencePool {
  private readonly workers: readonly Worker[];

  constructor(options: InferenceThreadOptions, size = Math.max(1, availableParallelism() - 1)) {
    this.workers = Array.from({ length: size }, () => new Worker(options));
  }

  /**
   * @throws ThreadCallError with a code of INFERENCE_ERRORS
   * @throws ThreadStoppedError when the thread failed under the call
   * @throws the signal's reason once it is aborted: what is left of a batch that nobody waits for is not run
   */
  async run(part: InferencePart, signal?: AbortSignal): Promise<InferenceAnswer> {
    if (part.texts.length <= TEXTS_A_PART) return this.leastBusy().run('run', part);
    const parts = [];
    for (let at = 0; at < part.texts.length; at += TEXTS_A_PART)
      parts.push({ ...part, texts: part.texts.slice(at, at + TEXTS_A_PART) });
    return joined(await this.inTurns(parts, signal, (each) => this.leastBusy().run('run', each)));
  }

  /** @throws as `run` */
  async embed(part: EmbedPart, signal?: AbortSignal): Promise<EmbedReply> {
    const parts = bySize(part.texts, CHARACTERS_AN_EMBEDDED_PART).map((texts) => ({ ...part, texts }));
    const replies = await this.inTurns(parts, signal, (each) => this.leastBusy().run('embed', each));
    let before = 0;
    for (const [index, reply] of replies.entries()) {
      if ('tooLong' in reply) return { tooLong: before + reply.tooLong };
      before += parts[index]!.texts.length;
    }
    const answers = replies as EmbedAnswer[];
    return {
      vectors: answers.flatMap(({ vectors }) => vectors),
      inputTokens: answers.flatMap(({ inputTokens }) => inputTokens),
    };
  }

  /** No thread keeps the model of this folder. */
  async forget(adapterDirectory: string): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.forget(adapterDirectory)));
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close()));
  }

  /** One part a thread at a time: between two of them other calls get their turn. */
  private async inTurns<Part, Answer>(
    parts: readonly Part[],
    signal: AbortSignal | undefined,
    run: (part: Part) => Promise<Answer>,
  ): Promise<Answer[]> {
    const answers: Answer[] = [];
    let next = 0;
    const lane = async () => {
      while (next < parts.length) {
        signal?.throwIfAborted();
        const at = next++;
        answers[at] = await run(parts[at]!);
      }
    };
    await Promise.all(this.workers.map(lane));
    return answers;
  }

  private leastBusy(): Worker {
    return this.workers.reduce((least, worker) => (worker.busy < least.busy ? worker : least));
  }
}

interface Methods {
  readonly run: (part: InferencePart) => InferenceAnswer;
  readonly embed: (part: EmbedPart) => EmbedReply;
}

class Worker {
  /** Calls that wait for it. */
  busy = 0;
  private thread: Promise<Thread> | null = null;

  constructor(private readonly options: InferenceThreadOptions) {}

  async run<Name extends keyof Methods>(
    method: Name,
    part: Parameters<Methods[Name]>[0],
  ): Promise<ReturnType<Methods[Name]>> {
    this.busy += 1;
    try {
      const thread = await (this.thread ??= this.start());
      return await thread.call<ReturnType<Methods[Name]>>(SERVICE, method, [part]);
    } finally {
      this.busy -= 1;
    }
  }

  /** One that has not begun, or has failed, keeps nothing. */
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
    const forget = () => (this.thread = null);
    const services = [{ name: SERVICE, module, options: this.options }];
    try {
      return await startThread(services, { name: 'infer', onFailure: forget });
    } catch (error) {
      forget();
      throw error;
    }
  }
}

function joined(answers: readonly InferenceAnswer[]): InferenceAnswer {
  const warnings = new Map<string, InferWarning>();
  for (const warning of answers.flatMap((answer) => answer.warnings))
    warnings.set(`${warning.code} ${warning.label ?? ''}`, warning);
  return {
    results: answers.flatMap((answer) => answer.results),
    warnings: [...warnings.values()],
    inputTokens: answers.flatMap((answer) => answer.inputTokens),
    schema: answers[0]!.schema,
  };
}
