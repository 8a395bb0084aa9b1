import { availableParallelism } from 'node:os';
import { startThread, type Thread } from '#sqlite-thread/thread.js';
import type { InferWarning } from '../engine/engine.js';
import type { InferencePart, InferenceThreadOptions } from './inference-thread.js';
import type { InferenceAnswer } from './protocol.js';

/** A batch is cut into parts of so many texts, so that a large one does not keep small ones waiting. */
const TEXTS_A_PART = 16;
const SERVICE = 'inference';

/** Threads that run models: one for each core but one, started with the first call. */
export class InferencePool {
  private threads: Promise<readonly Worker[]> | null = null;

  constructor(
    private readonly options: InferenceThreadOptions,
    private readonly size = Math.max(1, availableParallelism() - 1),
  ) {}

  /** @throws ThreadCallError with a code of INFERENCE_ERRORS */
  async run(part: InferencePart): Promise<InferenceAnswer> {
    const workers = await (this.threads ??= this.start());
    if (part.texts.length <= TEXTS_A_PART) return runOn(leastBusy(workers), part);
    const parts = [];
    for (let at = 0; at < part.texts.length; at += TEXTS_A_PART)
      parts.push({ ...part, texts: part.texts.slice(at, at + TEXTS_A_PART) });
    return joined(await inTurns(parts, workers));
  }

  async close(): Promise<void> {
    const workers = await this.threads;
    await Promise.all((workers ?? []).map(({ thread }) => thread.close()));
  }

  private async start(): Promise<readonly Worker[]> {
    const module = import.meta.resolve('./inference-thread.js');
    const start = () => startThread([{ name: SERVICE, module, options: this.options }], { name: 'infer' });
    try {
      const threads = await Promise.all(Array.from({ length: this.size }, start));
      return threads.map((thread) => ({ thread, busy: 0 }));
    } catch (error) {
      this.threads = null;
      throw error;
    }
  }
}

interface Worker {
  readonly thread: Thread;
  busy: number;
}

const leastBusy = (workers: readonly Worker[]): Worker =>
  workers.reduce((least, worker) => (worker.busy < least.busy ? worker : least));

async function runOn(worker: Worker, part: InferencePart): Promise<InferenceAnswer> {
  worker.busy += 1;
  try {
    return await worker.thread.call<InferenceAnswer>(SERVICE, 'run', [part]);
  } finally {
    worker.busy -= 1;
  }
}

/** One part a thread at a time: between two of them other calls get their turn. */
async function inTurns(parts: readonly InferencePart[], workers: readonly Worker[]): Promise<InferenceAnswer[]> {
  const answers: InferenceAnswer[] = [];
  let next = 0;
  const lane = async () => {
    while (next < parts.length) {
      const at = next++;
      answers[at] = await runOn(leastBusy(workers), parts[at]!);
    }
  };
  await Promise.all(workers.map(lane));
  return answers;
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
