import { worstCase, type MostTokens, type Reservation } from '#application/billing/index.js';
import { callerContext, type Caller } from '#application/caller.js';
import { LogUnavailableError, UnavailableError } from '#domain/errors.js';
import {
  allTokens,
  cost,
  type AnsweringProvider,
  type InferenceErrorType,
  type InferenceTask,
  type LeastCertain,
  type SignedThoughts,
} from '#domain/inference/index.js';
import type { Json } from '#domain/json.js';
import { inSpan, isTracing, traced, type Span } from '#primitives/tracing/index.js';
import { timedId } from '#primitives/timed-id.js';
import type { ServedBy } from '#domain/inference/index.js';
import { NO_USAGE, type TokenUsage } from './hosted/port.js';
import type { Model } from './models.js';
import type { CallRecorder, OpenedCall } from './recording/call-recorder.js';
import { endCallSpan, startCallSpan } from './call-span.js';
import { interruptedUsage, meteredOf, type CallFacts } from './recording/metered.js';
import { SupersededError } from './recording/stream-appender.js';
import type { CallRequest } from './request.js';
import { Shadows } from './shadows.js';

/** Runs the models of one kind. */
export interface CallBackend {
  /**
   * Whether a call is opened on the log (`call-opened`) before any part of its answer is sent. It is then billed even
   * if this process dies before the end.
   */
  readonly opensCalls: boolean;
  failureOf(error: unknown, model: Model, signal: AbortSignal | undefined): Failure;
}

/** The recorded and the answered form of a failed call. */
export interface Failure {
  /** null if the request was refused as invalid or as one too many, which is not recorded. */
  readonly errorType: InferenceErrorType | null;
  readonly errorMessage: string | null;
  /** The error for the caller. */
  readonly answer: unknown;
}

/** Admits calls before they run. */
export interface CallGate {
  /** @throws DomainError the call is refused, or cannot be decided on now */
  admit(call: CallToAdmit): Reservation | Promise<Reservation>;
}

export interface CallToAdmit {
  readonly caller: Caller;
  /** The model that will run: for a trained one its base model. */
  readonly entry: Model['entry'];
  readonly model: Model;
  /** Picodollars; see `worstCase`. */
  readonly worstCase: bigint;
  /** The tokens that it may cost so much for; absent for what is free. */
  readonly most?: MostTokens;
  /** The answered call that this one repeats unseen. */
  readonly shadowOf?: string | undefined;
  /** Whether it is neither recorded nor charged, such as a count of tokens. */
  readonly isFree?: boolean;
}

/** A call that is about to run, and the most that it may use. */
interface Plan {
  readonly backend: CallBackend;
  readonly model: Model;
  readonly task: InferenceTask;
  /** Upper bounds of the tokens, whose cost is reserved. */
  readonly most: MostTokens;
  /** Estimated input tokens; only for a backend that opens calls. */
  readonly estimatedInputTokens: number;
}

/** The result of a call. */
export interface Outcome {
  /** Given if only the answer determines the task. */
  readonly task?: InferenceTask;
  readonly usage: TokenUsage;
  /** The output shown in the history. */
  readonly output: Json;
  /** Milliseconds. */
  readonly ttftMs?: number | null;
  /** The provider that answered: the model's own or a fallback; null if none did. */
  readonly provider?: AnsweringProvider | null;
  /** The engine that answered, if one here did. */
  readonly servedBy?: ServedBy | null | undefined;
  /** Hints of the request that the model was not given. */
  readonly dropped?: readonly string[];
  /** Stored with the content, if there are any. */
  readonly thoughts?: SignedThoughts;
  /** Stored with the content, if an encoder found anything. */
  readonly leastCertain?: LeastCertain | null;
}

interface Answered<Done> {
  readonly inferenceId: string;
  readonly latencyMs: number;
  readonly done: Done;
}

/**
 * The lifecycle of a call, in this order: admit (money), open on the log if its backend does so, run, record, settle.
 */
export class Lifecycle {
  constructor(
    private readonly recorder: CallRecorder,
    private readonly gate: CallGate,
    readonly shadows = new Shadows(),
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.shadows.close();
  }

  /**
   * Runs a call that is answered as a whole. On resolution it is on the log and settled.
   * @throws ForbiddenError, RegionRestrictedError, BillingError, UnavailableError before anything runs
   * @throws its backend's error for a failure
   */
  async run<Done extends Outcome>(
    call: CallRequest,
    plan: Plan,
    work: (signal: AbortSignal | undefined) => Promise<Done>,
  ): Promise<Answered<Done>> {
    const live = await this.begin(call, plan);
    let done: Done;
    try {
      done = await live.beside(work);
    } catch (error) {
      throw await live.failed(live.failureOf(error));
    }
    const latencyMs = await live.answered(done);
    return { inferenceId: live.inferenceId, latencyMs, done };
  }

  /**
   * Admits a call, and begins to open it on the log if its backend does that.
   * @throws as `run` before anything runs
   */
  async begin(call: CallRequest, plan: Plan): Promise<LiveCall> {
    const { model, most } = plan;
    const atMost = worstCase(model.price, most);
    const { caller, shadowOf } = call;
    const { entry } = model;
    const admitting = { caller, entry, worstCase: atMost, most, model, shadowOf };
    const reservation = await (isTracing()
      ? traced('admit', {}, async () => this.gate.admit(admitting))
      : this.gate.admit(admitting));
    try {
      if (!this.recorder.accepting) throw new LogUnavailableError('the event log accepts no writes now; try again');
      return new LiveCall(this.recorder, call, plan, reservation, atMost);
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  /** Admits a request that is free and not recorded. @throws as `run` before anything runs */
  async admit(caller: Caller, model: Model): Promise<void> {
    const reservation = await this.gate.admit({ caller, entry: model.entry, worstCase: 0n, model, isFree: true });
    reservation.release();
  }
}

/** An opened call, as it was opened. */
interface Opening {
  readonly log: OpenedCall;
  readonly facts: CallFacts;
}

/** A call that was admitted. Its end is recorded once, and settles its reservation. */
export class LiveCall {
  readonly inferenceId = timedId();
  readonly start: number;
  private readonly opening: Opening | null;
  private readonly span: Span | null;

  constructor(
    private readonly recorder: CallRecorder,
    private readonly call: CallRequest,
    private readonly plan: Plan,
    private readonly reservation: Reservation,
    worstCase: bigint,
  ) {
    this.start = call.start ?? performance.now();
    this.span = startCallSpan(plan.model, plan.task, this.inferenceId);
    this.opening = plan.backend.opensCalls ? this.open(worstCase) : null;
  }

  /** Whether credits or a budget pay for the call. Its reservation must then suffice. */
  get isBounded(): boolean {
    return this.reservation.mustSuffice ?? this.reservation.chargedTo !== null;
  }

  /** Resolves when its opening is on the log. @throws UnavailableError */
  get acknowledged(): Promise<void> {
    return this.opening === null ? Promise.resolve() : this.opening.log.acknowledged;
  }

  /** Runs work while the call's opening is appended to the log. If the opening fails, the work is cancelled. */
  async beside<Done>(work: (signal: AbortSignal | undefined) => Promise<Done>): Promise<Done> {
    return this.span === null ? this.besideOpening(work) : inSpan(this.span, () => this.besideOpening(work));
  }

  private async besideOpening<Done>(work: (signal: AbortSignal | undefined) => Promise<Done>): Promise<Done> {
    const { signal } = this.call;
    if (this.opening === null) return work(signal);
    // `AbortSignal.any` would keep the call in memory until the next full collection.
    const either = new AbortController();
    const cancel = () => either.abort(signal?.reason);
    if (signal?.aborted) cancel();
    else signal?.addEventListener('abort', cancel);
    const acknowledged = this.acknowledged.catch((error: Error) => {
      either.abort(error);
      throw error;
    });
    const [opening, answer] = await Promise.allSettled([acknowledged, work(either.signal)]);
    signal?.removeEventListener('abort', cancel);
    if (opening.status === 'rejected') throw opening.reason;
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  }

  failureOf(error: unknown): Failure {
    const { backend, model } = this.plan;
    return backend.failureOf(error, model, this.call.signal);
  }

  /** Resolves with the latency in ms when its end is on the log. @throws UnavailableError */
  async answered(outcome: Outcome): Promise<number> {
    const latencyMs = await this.record(outcome, null, null);
    this.call.onAnswered?.(this.inferenceId);
    return latencyMs;
  }

  /**
   * Resolves when the end is on the log.
   * @param outcome the result so far
   * @returns the error for the caller
   * @throws UnavailableError
   */
  async failed({ errorType, errorMessage, answer }: Failure, outcome: Outcome = NOTHING): Promise<unknown> {
    if (errorType === null) {
      this.reservation.release();
      endCallSpan(this.span, { usage: outcome.usage, errorType: 'refused' });
    } else await this.record(outcome, errorType, errorMessage);
    return answer;
  }

  private open(worstCase: bigint): Opening {
    const { call, plan, reservation } = this;
    const context = this.context();
    const facts = this.facts(plan.task, context.now);
    const log = this.recorder.open(
      {
        ...facts,
        chargedTo: reservation.chargedTo,
        store: call.store,
        estimatedInputTokens: plan.estimatedInputTokens,
        reservedPicodollars: worstCase.toString(),
      },
      context,
    );
    return { log, facts };
  }

  private async record(outcome: Outcome, errorType: InferenceErrorType | null, errorMessage: string | null) {
    const { call, opening, reservation } = this;
    const { usage, output, ttftMs = null, provider, dropped = [], servedBy } = outcome;
    endCallSpan(this.span, { usage, provider, errorType });
    const latencyMs = rounded(performance.now() - this.start);
    const context = opening ? null : this.context();
    const facts = opening ? opening.facts : this.facts(outcome.task ?? this.plan.task, context!.now);
    const cascade = call.cascade?.(errorType === null ? output : null);
    const metered = meteredOf(facts, reservation.chargedTo, {
      errorType,
      usage,
      latencyMs,
      ttftMs: ttftMs === null ? null : rounded(ttftMs),
      dropped,
      servedBy,
      cascade,
    });
    const content = call.store ? { input: call.input(), output, errorMessage } : null;
    const { thoughts, leastCertain } = outcome;
    // A cascade's student and teacher are compared by themselves.
    const isAudit = cascade?.reason === 'audit';
    const isShadow = call.shadowOf !== undefined && !isAudit;
    const isCompared = errorType === null && (isShadow || call.isShadowed === true);
    const asRow = errorType === null && call.store && !isAudit ? call.asRow?.(output) : null;
    const recorded = { metered, content, thoughts, leastCertain, asRow, isCompared };
    const [spent, tokens] = [BigInt(metered.costPicodollars), allTokens(metered)];
    if (opening === null)
      try {
        await this.recorder.record(recorded, context!);
      } finally {
        // An append without an answer may still have succeeded.
        reservation.settle(spent, tokens);
      }
    else
      try {
        await opening.log.close(recorded, errorType === null ? 'answered' : 'failed', provider && asRecorded(provider));
        reservation.settle(spent, tokens);
      } catch (error) {
        // The append may still have succeeded, or a worker has closed, or will close, the call as interrupted.
        const interrupted = cost(interruptedUsage(this.plan.estimatedInputTokens), facts.price);
        reservation.settle(spent > interrupted ? spent : interrupted, tokens);
        if (!(error instanceof SupersededError)) throw error;
        throw new UnavailableError('this server lost its lease while it ran the call; try again', { cause: error });
      }
    return latencyMs;
  }

  private context() {
    const { caller, correlationId } = this.call;
    return callerContext(caller, { requestId: correlationId, commandId: this.inferenceId });
  }

  private facts(task: InferenceTask, at: string): CallFacts {
    const { caller, projectId, format, shadowOf } = this.call;
    const { modelId, entry, named, trainingJobId, price } = this.plan.model;
    return {
      inferenceId: this.inferenceId,
      teamId: caller.teamId,
      userId: caller.userId,
      keyId: caller.keyId,
      modelId,
      baseModel: entry.id,
      trainingJobId,
      projectId,
      task,
      source: caller.kind === 'key' ? 'api' : 'ui',
      format,
      price,
      at,
      ...(named && { modelName: named.name, modelVersion: named.version }),
      ...(shadowOf !== undefined && { shadowOf }),
    };
  }
}

/** A provider with what its answer said of itself, except a model that is the one it was asked for. */
function asRecorded({ name, model, response = {} }: AnsweringProvider): AnsweringProvider {
  const { id, model: answered, systemFingerprint } = response;
  const named = {
    ...(id !== undefined && { id }),
    ...(answered !== undefined && answered !== model && { model: answered }),
    ...(systemFingerprint !== undefined && { systemFingerprint }),
  };
  return { name, model, ...(Object.keys(named).length > 0 && { response: named }) };
}

const NOTHING: Outcome = { usage: NO_USAGE, output: null };

const rounded = (milliseconds: number): number => Math.round(milliseconds * 1_000) / 1_000;
