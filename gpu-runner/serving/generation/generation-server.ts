import { unlessAborted } from '#primitives/waiting/unless-aborted.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import type { Bus, CallHandler } from '#ports/bus/port.js';
import type { Json } from '#domain/json.js';
import type { Engines } from '#gpu-runner/contract/engines.js';
import {
  generationSubject,
  generationSubjectOf,
  type GenerateCall,
  type GenerateFrame,
} from '#gpu-runner/contract/generation.js';
import type { RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';
import { notServable } from '../adapters/adapters.js';
import { asAnswered } from '../serving/answered-errors.js';
import type { ProcessModels } from '../process-models/process-models.js';
import type { ServedWork } from '../serving/served-work.js';
import { Serving } from '../serving/served-by.js';
import { stopServing } from '../serving/stop-serving.js';

interface GenerationServerOptions {
  readonly bus: Bus;
  /** Name of the runner. */
  readonly name: string;
  readonly engines: Engines<RegisteredEngine>;
  readonly models: Pick<ProcessModels, 'lease'>;
  readonly work: Pick<ServedWork, 'begin' | 'read'>;
  readonly drainMs?: number | undefined;
}

interface GenerationServer {
  /** The base models that it generates text with. */
  readonly baseModelIds: readonly string[];
  /** Generations that wait for their turn. */
  waiting(): number;
  close(): Promise<void>;
}

/** Generations that run at a time; an engine may run fewer of them side by side. */
const MAX_RUNNING = 16;
/** Generations that run at a time at servers, which batch them: for all servers of a runner together. */
const MAX_RUNNING_AT_SERVERS = 256;
/** Generations of one workspace, running and waiting. */
export const MAX_OF_A_WORKSPACE = 64;

/** Serves generations from the bus: workspaces take turns, and an answer goes out as fast as its reader takes it. */
export function serveGeneration({
  bus,
  name,
  engines,
  models,
  work,
  drainMs,
}: GenerationServerOptions): GenerationServer {
  const own = new FairSlots(MAX_RUNNING, { keepsSomeFree: true });
  const atServers = new FairSlots(MAX_RUNNING_AT_SERVERS, { keepsSomeFree: true });
  const closing = new AbortController();
  const serving = new Serving(engines);
  async function* answer({ model, request }: GenerateCall, signal: AbortSignal): AsyncGenerator<GenerateFrame> {
    if (!engines.baseModel(model.baseModelId)?.model.generation)
      throw notServable(`this runner generates no text with ${model.baseModelId}`);
    const leased = await models.lease('decoders', model, signal, request);
    if ('retryAfterMs' in leased) {
      yield leased;
      return;
    }
    try {
      if (request === null) return;
      for await (const chunk of leased.model.generate(request, signal)) {
        if (chunk.type === 'end') work.read(chunk);
        yield chunk.type === 'end' ? await serving.told(model.baseModelId, chunk, leased.engine) : chunk;
      }
    } finally {
      leased.release();
    }
  }
  async function* generate(call: GenerateCall, gone: AbortSignal): AsyncGenerator<GenerateFrame> {
    const { workspaceId, model } = call;
    const isAtServer = engines.baseModel(model.baseModelId)?.engine.servers?.get(model.baseModelId)?.isRemote;
    const slots = isAtServer ? atServers : own;
    const signal = AbortSignal.any([gone, closing.signal]);
    const waiting = slots.lengthOf(workspaceId);
    if (waiting >= MAX_OF_A_WORKSPACE) {
      yield { waiting, mostWaiting: MAX_OF_A_WORKSPACE };
      return;
    }
    const place = slots.enter(workspaceId);
    const ended = work.begin('decoder');
    try {
      if (place.given !== null) await unlessAborted(place.given, signal);
      yield* answer(call, signal);
    } catch (error) {
      throw asAnswered(error);
    } finally {
      ended();
      place.leave();
    }
  }

  const baseModelIds = engines.all.flatMap(({ baseModels }) =>
    baseModels.flatMap(({ id, generation }) => (generation ? [id] : [])),
  );
  const handler: CallHandler = (body, { signal }) =>
    generate(body as unknown as GenerateCall, signal) as unknown as AsyncIterable<Json>;
  const subjects = baseModelIds.length > 0 ? [generationSubjectOf(name), ...baseModelIds.map(generationSubject)] : [];
  const subscriptions = subjects.map((subject) => bus.serve(subject, handler, { cutOff: closing.signal }));

  return {
    baseModelIds,
    waiting: () => own.queued + atServers.queued,
    close: () => stopServing(subscriptions, closing, drainMs),
  };
}
