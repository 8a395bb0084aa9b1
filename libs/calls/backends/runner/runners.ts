import {
  callOnce,
  CallTimedOutError,
  NoServerError,
  ServerLostError,
  type Bus,
  type CallOptions,
} from '#ports/bus/port.js';
import { NotReadyYetError, QueueFullError } from '#domain/errors.js';
import type { Json } from '#domain/json.js';
import {
  generationSubject,
  generationSubjectOf,
  type GenerateCall,
  type GeneratedChunk,
  type GenerateFrame,
} from '#gpu-runner/contract/generation.js';
import {
  EMBED_SUBJECT,
  INFERENCE_SUBJECT,
  inferenceSubjectOf,
  type EmbedCall,
  type EmbedReply,
  type InferenceAnswer,
  type InferenceCall,
  type InferenceReply,
  type QueueFull,
} from '#gpu-runner/contract/inference.js';
import type { LiveRunners } from './live-runners.js';

/** `Retry-After` while no runner is known. */
const PROVISIONING_RETRY_SECONDS = 5;

/** A million characters of English take about four seconds. */
const QUEUE_RETRY_SECONDS = 5;

/** An answer of a hundred tokens takes some seconds. */
const GENERATION_RETRY_SECONDS = 5;

/** Runners that a call tries by name before it goes to any runner. */
const MAX_RUNNERS_TRIED = 3;

/** null: any runner. Listed twice, because a runner may be lost during a call. */
const ANY_TWICE: readonly (string | null)[] = [null, null];

/**
 * Calls of the runners: an adapter's always to the same runner while it is available, which has it in memory; a base
 * model's to any.
 */
export class Runners {
  constructor(
    private readonly bus: Bus,
    private readonly runners: LiveRunners,
  ) {}

  /**
   * Running a model has no side effects, so a call that a runner lost is retried, but only once: the call may have
   * crashed the runner.
   * @param isFirst the adapter has served no call yet
   * @throws NotReadyYetError a runner is loading the adapter for longer than a call waits; or no runner is available to
   * serve it first
   * @throws QueueFullError too many of the workspace's calls wait already
   * @throws NoServerError when there is no runner
   * @throws ServerLostError when two runners were lost during the call
   * @throws BusUnavailableError, CallTimedOutError, RemoteError as the bus says
   */
  async run(call: InferenceCall, options: CallOptions, isFirst = false): Promise<InferenceAnswer> {
    const id = call.model.adapter?.id ?? '';
    try {
      const reply = (await this.reply(this.tries(call), INFERENCE_SUBJECT, call, options)) as InferenceReply;
      if ('retryAfterMs' in reply) throw warmingUp(id, reply.retryAfterMs);
      if ('waiting' in reply) throw queueFull(reply);
      return reply;
    } catch (error) {
      throw isFirst && error instanceof NoServerError ? provisioning(id) : error;
    }
  }

  /** An embedder of any runner. @throws as `run`, but that it is always ready; the signal's reason once that is aborted */
  async embed(call: EmbedCall, options: CallOptions): Promise<Exclude<EmbedReply, QueueFull>> {
    const reply = (await this.reply(ANY_TWICE, EMBED_SUBJECT, call, options)) as EmbedReply;
    if ('waiting' in reply) throw queueFull(reply);
    return reply;
  }

  /**
   * The pieces of a text that a runner generates, at the reader's pace; none for a call that only loads the model.
   * Leaving the loop early ends the generation. Before the first piece, a call that a runner lost is retried once.
   * @throws as `run`
   */
  async *generate(
    call: GenerateCall,
    options: CallOptions,
    isFirst = false,
  ): AsyncGenerator<GeneratedChunk, void, undefined> {
    const { baseModelId, adapter } = call.model;
    const named = adapter === null ? [] : this.runners.inOrderFor(adapter.id, baseModelId).slice(0, MAX_RUNNERS_TRIED);
    const subject = (runner: string | null) =>
      runner === null ? generationSubject(baseModelId) : generationSubjectOf(runner);
    const until = performance.now() + options.deadlineMs;
    const tries = new Tries(this.runners);
    for (const runner of [...named, ...ANY_TWICE]) {
      let hasBegun = false;
      try {
        const frames = this.bus.call(subject(runner), call as unknown as Json, { ...options, deadlineMs: left(until) });
        for await (const frame of frames as AsyncIterable<unknown> as AsyncIterable<GenerateFrame>) {
          hasBegun = true;
          if ('retryAfterMs' in frame) throw warmingUp(adapter?.id ?? baseModelId, frame.retryAfterMs);
          if ('waiting' in frame) throw generationsFull(frame);
          yield frame;
        }
        return;
      } catch (error) {
        if (isFirst && error instanceof NoServerError && runner === null) throw provisioning(adapter!.id);
        if (hasBegun) throw error;
        tries.failed(runner, error);
      }
    }
    throw new NoServerError('no runner generates text with this model');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.runners.close();
  }

  private async reply(
    tries: readonly (string | null)[],
    anySubject: string,
    call: InferenceCall | EmbedCall,
    options: CallOptions,
  ): Promise<unknown> {
    const until = performance.now() + options.deadlineMs;
    const made = new Tries(this.runners);
    for (const runner of tries) {
      try {
        const subject = runner === null ? anySubject : inferenceSubjectOf(runner);
        return await callOnce(this.bus, subject, call as unknown as Json, { ...options, deadlineMs: left(until) });
      } catch (error) {
        made.failed(runner, error);
      }
    }
    throw new NoServerError('no runner serves models');
  }

  /** The runners to try by name, then any. */
  private tries({ model: { adapter } }: InferenceCall): readonly (string | null)[] {
    if (adapter === null) return ANY_TWICE;
    return [...this.runners.inOrderFor(adapter.id).slice(0, MAX_RUNNERS_TRIED), ...ANY_TWICE];
  }
}

/** The tries of one call. */
class Tries {
  private lost = 0;

  constructor(private readonly runners: Pick<LiveRunners, 'passBy'>) {}

  /**
   * @param runner null: any
   * @throws the error if the call is not to be retried
   */
  failed(runner: string | null, error: unknown): void {
    if (error instanceof ServerLostError) this.lost += 1;
    if (this.lost > 1 || !isGone(error) || (runner === null && error instanceof NoServerError)) throw error;
    if (runner !== null) this.runners.passBy(runner);
  }
}

/** Milliseconds until the deadline. @throws CallTimedOutError when it has passed */
function left(until: number): number {
  const deadlineMs = until - performance.now();
  if (deadlineMs <= 0) throw new CallTimedOutError('no runner answered in time');
  return deadlineMs;
}

const isGone = (error: unknown): boolean => error instanceof NoServerError || error instanceof ServerLostError;

const warmingUp = (id: string, retryAfterMs: number): NotReadyYetError => {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const message = `model ${id} is warming up: its weights are being loaded; try again in ${seconds} s`;
  return new NotReadyYetError('warming_up', message, seconds);
};

const queueFull = ({ waiting, mostWaiting }: QueueFull): QueueFullError =>
  new QueueFullError(
    `this workspace has texts of ${waiting} characters waiting, and may have ${mostWaiting}; try again when some are answered`,
    'inference',
    { length: waiting, limit: mostWaiting },
    QUEUE_RETRY_SECONDS,
  );

const generationsFull = ({ waiting, mostWaiting }: QueueFull): QueueFullError =>
  new QueueFullError(
    `this workspace has ${waiting} generations running or waiting, and may have ${mostWaiting}; try again when some have ended`,
    'inference',
    { length: waiting, limit: mostWaiting },
    GENERATION_RETRY_SECONDS,
  );

const provisioning = (id: string): NotReadyYetError =>
  new NotReadyYetError(
    'provisioning',
    `the deployment of model ${id} is still provisioning: no runner serves it yet; try again`,
    PROVISIONING_RETRY_SECONDS,
  );
