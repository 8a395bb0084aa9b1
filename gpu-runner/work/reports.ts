import { setTimeout as sleep } from 'node:timers/promises';
import { UNREPORTED, type Background } from '#primitives/background/background.js';
import { callOnce, RemoteError, type Bus } from '#ports/bus/port.js';
import { LogBlocks } from './log-blocks.js';
import {
  attemptScopedId,
  reportSubject,
  type AttemptRef,
  type WorkReport,
  type ReportReply,
  type ReportRequest,
  type WorkKind,
} from '#gpu-runner/contract/work.js';

const DEADLINE_MS = 10_000;
const MAX_WAIT_MS = 5_000;
/** Errors that a retry would not change. */
const DEFINITE = new Set(['not_found', 'conflict', 'invalid', 'forbidden']);
/** A server that fails on the report itself does so every time: then the attempt is left to be given up. */
const MAX_INTERNAL_ERRORS = 20;

/**
 * Sends one attempt's reports in order, each repeated until acknowledged. A repeat has the same command id, so it
 * counts once.
 */
export class Reports {
  readonly log = new LogBlocks((block) => this.enqueue({ kind: 'log', ...block }));
  private sent = 0;
  private last: Promise<void> = Promise.resolve();
  private readonly giveUp = new AbortController();

  constructor(
    private readonly bus: Bus,
    private readonly kind: WorkKind,
    private readonly ref: AttemptRef,
    private readonly sender: Pick<ReportRequest, 'runnerId' | 'traceparent'>,
    /** Called when the attempt no longer counts. */
    private readonly onUnwanted: () => void,
    private readonly background: Background = UNREPORTED,
  ) {}

  send(report: WorkReport): void {
    this.log.flush();
    this.enqueue(report);
  }

  /** Resolves when all has been acknowledged, or when time is up: then the rest is dropped. */
  async drained(timeoutMs?: number): Promise<void> {
    this.log.flush();
    const timer = timeoutMs === undefined ? null : setTimeout(() => this.giveUp.abort(), timeoutMs);
    await this.last;
    if (timer) clearTimeout(timer);
  }

  private enqueue(report: WorkReport): void {
    this.sent += 1;
    const { id, attempt } = this.ref;
    const request: ReportRequest = {
      id,
      attempt,
      ...this.sender,
      commandId: attemptScopedId(this.ref, `report/${this.sent}`),
      at: new Date().toISOString(),
      report,
    };
    this.last = this.last.then(() => this.deliver(request));
  }

  private async deliver(request: ReportRequest): Promise<void> {
    const delivery = this.background.watch('report-attempt');
    let internalErrors = 0;
    for (let wait = 50; !this.giveUp.signal.aborted; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
      try {
        const options = { deadlineMs: DEADLINE_MS, signal: this.giveUp.signal };
        const reply = await callOnce(this.bus, reportSubject(this.kind), request, options);
        delivery.succeeded();
        if (!(reply as unknown as ReportReply).wanted) this.onUnwanted();
        return;
      } catch (error) {
        if (error instanceof RemoteError && error.code === 'internal') internalErrors += 1;
        if (error instanceof RemoteError && DEFINITE.has(error.code)) return this.onUnwanted();
        if (!this.giveUp.signal.aborted) delivery.failed(error);
        if (internalErrors >= MAX_INTERNAL_ERRORS) return this.onUnwanted();
        await sleep(wait, undefined, { signal: this.giveUp.signal }).catch(() => undefined);
      }
    }
  }
}
