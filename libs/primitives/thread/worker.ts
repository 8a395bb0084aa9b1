import { parentPort, workerData } from 'node:worker_threads';
import { releaseMemoryWhenIdle } from '../memory/release-memory.js';
import { startTracing, stopTracing } from '../tracing/index.js';
import { cloneError, type CallsMessage, type ThreadMessage, type ThreadStart } from './protocol.js';
import type { CreateService, ThreadCall, ThreadOutcome, ThreadService } from './service.js';

/** The far end of `startThread`: starts the services in order, groups what arrives together, answers in groups. */

interface Running {
  readonly service: ThreadService;
  ids: number[];
  calls: ThreadCall[];
}

/** A group is bounded, so that the first of many is not kept waiting for the last. */
const MAX_GROUP = 1024;

if (!parentPort) throw new Error('thread/worker runs as a worker thread only');
const port = parentPort;
const send = (message: ThreadMessage): void => port.postMessage(message);
const running: Running[] = [];
const settling = new Set<Promise<void>>();
let scheduled = false;
let closing = false;

port.on('message', (message: CallsMessage) => {
  if (message.kind === 'close') {
    void close();
    return;
  }
  const { calls } = message;
  for (let at = 0; at < calls.length; at += 4) {
    const target = running[calls[at + 1] as number]!;
    target.ids.push(calls[at] as number);
    target.calls.push({ method: calls[at + 2] as string, args: calls[at + 3] as readonly unknown[] });
  }
  // Every message that lies in the queue by now is delivered before this runs.
  if (!scheduled) setImmediate(answerAll);
  scheduled = true;
});

await start();

async function start(): Promise<void> {
  try {
    await startTracing();
    for (const [index, { module, options }] of (workerData as ThreadStart).services.entries()) {
      const { createService } = (await import(module)) as { createService: CreateService<unknown> };
      const emit = (topic: string, message: unknown) => send({ kind: 'emitted', service: index, topic, message });
      running.push({ service: await createService(options, { emit }), ids: [], calls: [] });
    }
    send({ kind: 'ready' });
    releaseMemoryWhenIdle();
  } catch (error) {
    for (const { service } of running.toReversed()) await service.close?.();
    send({ kind: 'failed', error: cloneError(error) });
    port.close();
  }
}

function answerAll(): void {
  scheduled = false;
  for (const [index, target] of running.entries()) {
    const { ids, calls } = target;
    if (calls.length === 0) continue;
    target.ids = [];
    target.calls = [];
    for (let at = 0; at < calls.length; at += MAX_GROUP) {
      answerGroup(index, target.service, ids.slice(at, at + MAX_GROUP), calls.slice(at, at + MAX_GROUP));
    }
  }
}

function answerGroup(
  index: number,
  service: ThreadService,
  ids: readonly number[],
  calls: readonly ThreadCall[],
): void {
  const start = performance.now();
  const answers: unknown[] = [];
  const outcomes = handleGroup(service, calls);
  for (const [at, id] of ids.entries()) {
    const outcome = outcomes[at] ?? { ok: false, error: new Error('the service gave no answer') };
    if (outcome.ok && outcome.value instanceof Promise) answerLater(index, id, outcome.value, start);
    else answers.push(id, outcome.ok, outcome.ok ? outcome.value : cloneError(outcome.error));
  }
  if (answers.length > 0) sendAnswers(index, answers, start);
}

function handleGroup(service: ThreadService, calls: readonly ThreadCall[]): readonly ThreadOutcome[] {
  if (!('handleGroup' in service))
    return calls.map(({ method, args }) => outcomeOf(() => service.handle(method, args)));
  try {
    return service.handleGroup(calls);
  } catch (error) {
    return calls.map(() => ({ ok: false, error }));
  }
}

function outcomeOf(handle: () => unknown): ThreadOutcome {
  try {
    return { ok: true, value: handle() };
  } catch (error) {
    return { ok: false, error };
  }
}

function answerLater(service: number, id: number, value: Promise<unknown>, start: number): void {
  const settled = value
    .then(
      (result): unknown[] => [id, true, result],
      (error: unknown): unknown[] => [id, false, cloneError(error)],
    )
    .then((answers) => {
      sendAnswers(service, answers, start);
      settling.delete(settled);
    });
  settling.add(settled);
}

function sendAnswers(service: number, answers: readonly unknown[], start: number): void {
  const ms = performance.now() - start;
  try {
    send({ kind: 'answers', service, answers, ms });
  } catch {
    // A result that cannot be cloned fails its own caller only.
    for (let at = 0; at < answers.length; at += 3) {
      const answer = answers.slice(at, at + 3);
      try {
        send({ kind: 'answers', service, answers: answer, ms });
      } catch (error) {
        send({ kind: 'answers', service, answers: [answer[0], false, cloneError(error)], ms });
      }
    }
  }
}

async function close(): Promise<void> {
  if (closing) return;
  closing = true;
  answerAll();
  // A service with a running subscription is told to end first; its last answers follow.
  for (const { service } of running.toReversed()) {
    try {
      await service.close?.();
    } catch (error) {
      console.error('a service did not close well:', error);
    }
  }
  await Promise.allSettled(settling);
  await stopTracing();
  port.close();
}
