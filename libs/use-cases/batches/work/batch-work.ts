import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Application } from '#application/application.js';
import { callsOfBatch } from '#application/batch-calls.js';
import { systemContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import { initializeVersion, sealVersion } from '../../datasets/new-versions.js';
import { BATCH_LINE, batchProgressKey, type BatchLine, type BatchLineAnswer } from '#calls/batch-lines.js';
import { batchDecider, type Batch, type BatchEnd } from '#domain/batch/index.js';
import { underLease } from '#log/leadership/index.js';
import {
  BusUnavailableError,
  callOnce,
  CallTimedOutError,
  NoServerError,
  RemoteError,
  ServerLostError,
} from '#ports/bus/port.js';
import { ABSENT } from '#ports/coordination/port.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import type { FairSlots } from '#primitives/fair-share/fair-slots.js';
import { KeptLines } from '#rows/kept-lines.js';
import {
  accountRefusal,
  errorLine,
  linesOf,
  lostLine,
  madeLine,
  requestIdOf,
  requestsOf,
  unmade,
  type KeptLine,
  type Request,
  type Stop,
} from './request-lines.js';

/** Waits of a batch's calls; tests shorten them. */
export interface BatchTiming {
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/** Concurrent requests of one batch. */
const MAX_AT_ONCE = 8;
const CALL_MS = 30 * 60_000;
const MAX_TRIES = 30;
const MAX_PAUSE_S = 30;
const PROGRESS_MS = 1_000;
const PROGRESS_KEPT_MS = 60 * 60_000;
/** Answers after which another try may go better. */
const PASSING = [408, 425, 429, 503, 529];
const UNKNOWN = [ServerLostError, BusUnavailableError, CallTimedOutError, RemoteError];

/**
 * Has the requests of a batch answered by API processes, one call each. The outcome of a request is stored before it
 * counts, so that a worker that takes over never repeats an answered request.
 */
export class BatchWork {
  private readonly worker = `worker/${randomUUID()}`;

  constructor(
    private readonly application: Application,
    /** Calls of all batches of this worker, workspaces in turns. */
    private readonly slots: FairSlots,
    private readonly timing: BatchTiming,
  ) {}

  /**
   * Advances a batch to its end; does nothing while another worker does.
   * @throws if the failure is not the batch's fault
   */
  async advance(batchId: string, signal: AbortSignal): Promise<void> {
    const { coordination: leases } = this.application.ports;
    const lease = { leases, name: `batch/${batchId}`, holder: this.worker };
    await underLease(lease, signal, async (held) => {
      const batch = await this.open(batchId);
      if (batch === null) return;
      try {
        await this.run(batch, held);
      } catch (error) {
        if (!held.aborted) throw error;
      }
    });
  }

  private async run(batch: Batch, signal: AbortSignal): Promise<void> {
    const { batchId } = batch.request;
    const kept = new KeptLines<KeptLine>(this.application.ports.objectStore, `batches/${batchId}/lines/`, signal);
    const known = new Map<number, boolean>();
    for await (const { row, isAnswered } of kept.each()) known.set(row, isAnswered);
    const paid = await this.paidCalls(batch);
    const underWay = new Set<Promise<KeptLine | Stop>>();
    const requests = requestsOf(batch, this.application.ports.objectStore);
    let stop: Stop | null = null;
    let progressAt = -Infinity;
    const lane = async () => {
      for await (const request of shared(requests)) {
        if (known.has(request.row)) continue;
        signal.throwIfAborted();
        const made = stop ?? (await affordable(batch, underWay, () => this.made(batch, request, paid, signal)));
        if ('outcome' in made) stop = made;
        const line = 'outcome' in made ? unmade(batch, request, made) : made;
        await kept.keep(line);
        known.set(request.row, line.isAnswered);
        if (performance.now() - progressAt > PROGRESS_MS) {
          progressAt = performance.now();
          await this.tell(batchId, known);
        }
      }
    };
    const shared = sharing<Request>();
    // All of them end before another attempt may begin, which would repeat the in-flight requests.
    const lanes = await Promise.allSettled(Array.from({ length: MAX_AT_ONCE }, lane));
    await requests.return(undefined);
    const broken = lanes.find((each) => each.status === 'rejected');
    if (broken && !(broken.reason instanceof ObjectNotFoundError)) throw broken.reason;
    if (broken) stop = { outcome: 'failed', error: { code: 'file_lost', message: 'the stored requests are gone' } };
    await this.end(batch, kept, known, stop);
  }

  private async made(
    batch: Batch,
    request: Request,
    paid: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<KeptLine | Stop> {
    const requestId = requestIdOf(batch, request);
    const lost = paid.get(requestId);
    if (lost !== undefined) return lostLine(batch, request, lost);
    for (let tries = 1; ;) {
      const answer = await this.inTurn(batch, signal, () => this.ask(batch, request, requestId, signal));
      if (typeof answer === 'object' && 'outcome' in answer) return answer;
      if (answer === 'unknown') {
        const since = (await this.paidCalls(batch)).get(requestId);
        if (since !== undefined) return lostLine(batch, request, since);
      } else if (answer !== 'nobody') {
        const refusal = accountRefusal(answer);
        if (refusal !== null) return { outcome: 'failed', error: refusal };
        if (!PASSING.includes(answer.status) || tries >= MAX_TRIES) return madeLine(batch, request, requestId, answer);
      }
      if (tries >= MAX_TRIES) return errorLine(batch, request, 'unavailable', 'no server has answered the request');
      const seconds = typeof answer === 'string' ? null : answer.retryAfterSeconds;
      const pause = this.timing.pause ?? ((ms, stopping) => sleep(ms, undefined, { signal: stopping }));
      await pause(1_000 * Math.min(MAX_PAUSE_S, seconds ?? 2 ** Math.min(tries, 5)), signal);
      // A try that reached no server does not count.
      if (answer !== 'nobody') tries += 1;
    }
  }

  /**
   * Makes a call in the workspace's turn, unless the batch has been stopped by then. Pauses between calls do not take a
   * turn.
   */
  private inTurn<Answer>(batch: Batch, signal: AbortSignal, call: () => Promise<Answer>): Promise<Answer | Stop> {
    return this.slots.run(batch.request.workspaceId, async () => {
      signal.throwIfAborted();
      return (await this.stopOf(batch)) ?? call();
    });
  }

  /** Why further requests are not made; null while there is no reason. */
  private async stopOf({ request: { batchId, expiresAt } }: Batch): Promise<Stop | null> {
    const { status } = await this.application.load(batchDecider, batchId);
    if (status !== 'in_progress') return { outcome: 'cancelled', error: null };
    return Date.now() < Date.parse(expiresAt) ? null : { outcome: 'expired', error: null };
  }

  /** @returns `nobody` when the call found no server, `unknown` when its outcome is open */
  private async ask(
    { request: { batchId, endpoint, requestedBy, workspaceId, budget: amount }, requestedAt }: Batch,
    { body }: Request,
    requestId: string,
    signal: AbortSignal,
  ): Promise<BatchLineAnswer | 'nobody' | 'unknown'> {
    const line: BatchLine = {
      endpoint,
      body,
      requestId,
      caller: { ...requestedBy, workspaceId },
      ...(amount !== undefined && { budget: { batchId, amount } }),
      askedAt: requestedAt,
    };
    try {
      const options = { deadlineMs: CALL_MS, signal };
      const answer = await callOnce(this.application.ports.bus, BATCH_LINE, line, options);
      return answer as unknown as BatchLineAnswer;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof NoServerError) return 'nobody';
      if (UNKNOWN.some((kind) => error instanceof kind)) return 'unknown';
      throw error;
    }
  }

  /** Calls of the batch that were answered and are on the log, by request id: the ids under which the history has them. */
  private async paidCalls({ request: { batchId } }: Batch): Promise<ReadonlyMap<string, string>> {
    const paid = new Map<string, string>();
    for await (const { requestId, inferenceId, errorType } of callsOfBatch(this.application, batchId))
      if (errorType === null) paid.set(requestId, inferenceId);
    return paid;
  }

  private async end(
    batch: Batch,
    kept: KeptLines<KeptLine>,
    known: ReadonlyMap<number, boolean>,
    stop: Stop | null,
  ): Promise<void> {
    const { batchId, workspaceId } = batch.request;
    const completed = known.values().reduce((sum, isAnswered) => sum + (isAnswered ? 1 : 0), 0);
    const failed = known.size - completed;
    const end: BatchEnd = {
      outcome: stop?.outcome ?? 'completed',
      error: stop?.error ?? null,
      ...{ completed, failed },
      outputVersionId: completed === 0 ? null : await this.store(batch, kept, 'output', true),
      errorVersionId: failed === 0 ? null : await this.store(batch, kept, 'errors', false),
    };
    const command = { type: 'end-batch', batchId, ...end } as const;
    await this.application.execute(batchDecider, batchId, command, systemContext('batch', workspaceId));
    await kept.remove();
    await this.application.ports.coordination.delete(batchProgressKey(batchId));
  }

  /** Makes a dataset version of the lines of one kind, however often it is tried. */
  private async store(
    { request: { batchId, workspaceId } }: Batch,
    kept: KeptLines<KeptLine>,
    what: 'output' | 'errors',
    isAnswered: boolean,
  ): Promise<string> {
    const context = systemContext('batch', workspaceId, derivedId(batchId, what));
    const name = `batch-${batchId}-${what}`;
    const { versionId } = await initializeVersion(
      this.application,
      {
        ...({ workspaceId, name, datasetType: 'records', generationType: 'batch', purpose: 'batch_output' } as const),
        ...{ projectId: null, fileName: `batch_${batchId}_${what}.jsonl` },
      },
      context,
    );
    const key = `datasets/${workspaceId}/${versionId}/source-${randomUUID()}`;
    const lines = linesOf(kept, isAnswered);
    const source = await this.application.ports.objectStore.put(key, lines);
    await sealVersion(this.application, { workspaceId, name, versionId }, source, context);
    return versionId;
  }

  private async tell(batchId: string, known: ReadonlyMap<number, boolean>): Promise<void> {
    const completed = known.values().reduce((sum, isAnswered) => sum + (isAnswered ? 1 : 0), 0);
    const progress = { completed, failed: known.size - completed };
    const { coordination } = this.application.ports;
    const key = batchProgressKey(batchId);
    const before = await coordination.get(key);
    const expected = before ? ({ kind: 'version', version: before.version } as const) : ABSENT;
    await coordination.compareAndSet(key, expected, progress, PROGRESS_KEPT_MS);
  }

  private async open(batchId: string): Promise<Batch | null> {
    const state = await this.application.load(batchDecider, batchId);
    return state.status === 'none' || state.status === 'ended' ? null : state;
  }
}

/**
 * Makes a call. One that the batch's budget does not allow waits for those under way, which hold the most that they may cost, and is
 * tried again if one of them was answered.
 */
async function affordable(
  { request: { budget } }: Batch,
  underWay: Set<Promise<KeptLine | Stop>>,
  make: () => Promise<KeptLine | Stop>,
): Promise<KeptLine | Stop> {
  for (;;) {
    const making = make();
    underWay.add(making);
    const made = await making.finally(() => underWay.delete(making));
    if (budget === undefined || !('outcome' in made) || made.error?.code !== 'out_of_credits') return made;
    const others = await Promise.all(underWay);
    if (others.every((other) => 'outcome' in other)) return made;
  }
}

/** Lets several loops draw from one generator. */
const sharing =
  <T>() =>
  (source: AsyncGenerator<T>): AsyncIterable<T> => ({
    // Without `return`, so that a loop that ends leaves the rest to the others.
    [Symbol.asyncIterator]: () => ({ next: () => source.next() }),
  });
