import type { Bus, CallHandler } from '#ports/bus/port.js';
import { UNREPORTED, type Background } from '#primitives/background/background.js';
import type { Json } from '#domain/json.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { Adapters, notServable } from './adapters/adapters.js';
import { EncoderCalls } from './encoders/encoder-calls.js';
import { serveGeneration } from './generation/generation-server.js';
import { InferencePool } from './encoders/inference-pool.js';
import { MAX_PROCESS_ADAPTER_BYTES, ProcessModels } from './process-models/process-models.js';
import { Serving } from './serving/served-by.js';
import { ServedWork } from './serving/served-work.js';
import { stopServing } from './serving/stop-serving.js';
import type { Engines } from '#gpu-runner/contract/engines.js';
import type { RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';
import {
  EMBED_SUBJECT,
  INFERENCE_FORGET,
  INFERENCE_HEARTBEAT,
  INFERENCE_HEARTBEAT_MS,
  INFERENCE_SUBJECT,
  inferenceSubjectOf,
  type EmbedCall,
  type EmbedReply,
  type ForgetModel,
  type InferenceCall,
  type InferenceHeartbeat,
  type InferenceReply,
  type ModelReference,
  type ServingFigures,
} from '#gpu-runner/contract/inference.js';

interface InferenceServerOptions {
  readonly bus: Bus;
  /** Name of the runner. No two runners may use it at once; it should be the same at each start, since adapters stay on its disk. */
  readonly name: string;
  readonly objectStore: ObjectStore;
  /** Folder of the adapters on local disk. */
  readonly cacheDirectory: string;
  readonly engines: Engines<RegisteredEngine>;
  /** Adapters in memory, for each thread. */
  readonly maxAdapterBytes?: number;
  /** Adapters in the memory of engines' processes. */
  readonly maxProcessAdapterBytes?: number;
  /** Adapters on local disk. */
  readonly maxCachedBytes?: number;
  readonly loadPatienceMs?: number;
  /** Milliseconds that calls have to end when it is closed. */
  readonly drainMs?: number;
  /** Called with a line for the operator: the model with damaged files, and the remedy. Default: stderr. */
  readonly onDamage?: (line: string) => void;
  /** Default: failures of work in the background are not reported. */
  readonly background?: Background;
}

export interface InferenceServer {
  /** Load at the moment, and tokens since the start. */
  figures(): ServingFigures;
  close(): Promise<void>;
}

const MAX_ADAPTER_BYTES = 256 * 1024 * 1024;
/** Interval of checks whether the kept weights still exist, which finds deletions signalled during an outage. */
const SWEEP_MS = 10 * 60_000;

/**
 * Serves inference calls from the bus, those for any runner and those for this one: fetches adapters, keeps models in
 * threads or in the processes of their engines, and runs them. Signals every second its presence, its loaded models,
 * and those it could not load. Drops deleted ones.
 */
export function serveInference(options: InferenceServerOptions): InferenceServer {
  const { bus, name, objectStore, cacheDirectory, engines, background = UNREPORTED } = options;
  const pool = new InferencePool({ maxAdapterBytes: options.maxAdapterBytes ?? MAX_ADAPTER_BYTES });
  const baseOf = ({ baseModelId }: ModelReference) => {
    const found = engines.baseModel(baseModelId);
    if (!found || found.model.generation) throw notServable(`this runner has no encoder ${baseModelId}`);
    const { module: engine, hasOwnProcess } = found.engine;
    return { engine, baseDirectory: found.model.directory, hasOwnProcess };
  };
  const beat = (leaving: boolean) => {
    const generates = generation.baseModelIds;
    const heartbeat: InferenceHeartbeat = {
      ...{ name, leaving },
      ...adapters.told(),
      figures: figures(),
      ...(generates.length > 0 && { generates }),
    };
    bus.signal(INFERENCE_HEARTBEAT, heartbeat);
  };
  const adapters = new Adapters({
    ...{ objectStore, cacheDirectory },
    maxCachedBytes: options.maxCachedBytes,
    loadPatienceMs: options.loadPatienceMs,
    onDamage: options.onDamage ?? ((line) => background.failed('read-adapter', new Error(line))),
    onChange: () => beat(false),
  });
  const processModels = new ProcessModels(
    engines,
    adapters,
    name,
    options.maxProcessAdapterBytes ?? MAX_PROCESS_ADAPTER_BYTES,
  );
  const encoderCalls = new EncoderCalls(processModels);
  const work = new ServedWork();
  const generation = serveGeneration({ bus, name, engines, models: processModels, work, drainMs: options.drainMs });
  const figures = (): ServingFigures => {
    const { models, cachedBytes } = adapters.figures();
    return {
      models: { ...models, in_process: processModels.size },
      cachedBytes,
      waitingCharacters: pool.waiting + encoderCalls.waiting,
      waitingGenerations: generation.waiting(),
      ...work.figures(),
    };
  };

  const serving = new Serving(engines);
  const infer = async (call: InferenceCall, signal: AbortSignal): Promise<InferenceReply> => {
    const reply = await run(call, signal);
    return 'results' in reply ? serving.told(call.model.baseModelId, reply) : reply;
  };
  const run = async (call: InferenceCall, signal: AbortSignal): Promise<InferenceReply> => {
    const { hasOwnProcess, ...base } = baseOf(call.model);
    if (hasOwnProcess) return encoderCalls.run(call, signal);
    const { workspaceId, model, texts, schema, threshold, explain, certainty } = call;
    const { adapter } = model;
    const runOn = (adapterDirectory: string | null) =>
      pool.run({ ...base, workspaceId, adapterDirectory, texts, schema, threshold, explain, certainty }, signal);
    return adapter === null ? runOn(null) : adapters.use(adapter, runOn);
  };
  const embed = async (call: EmbedCall, signal: AbortSignal): Promise<EmbedReply> => {
    const found = engines.embedder(call.modelId);
    if (!found) throw notServable(`this runner has no embedder ${call.modelId}`);
    const { module: engine } = found.engine;
    const { directory } = found.model;
    const reply = await pool.embed({ ...call, engine, directory }, signal);
    return 'vectors' in reply ? serving.told(call.modelId, reply) : reply;
  };
  const counted =
    <Call, Reply extends object>(
      kind: 'encoder' | 'embedder',
      answer: (call: Call, signal: AbortSignal) => Promise<Reply>,
    ): CallHandler =>
    async (body, { signal }) =>
      (await work.call(kind, () => answer(body as Call, signal))) as unknown as Json;
  const forget = async (removed: Promise<readonly string[]>) => {
    for (const directory of await removed) {
      processModels.forget(directory);
      await pool.forget(directory);
    }
  };
  const closing = new AbortController();
  const cutOff = closing.signal;
  const subscriptions = [
    ...[INFERENCE_SUBJECT, inferenceSubjectOf(name)].map((subject) =>
      bus.serve(subject, counted('encoder', infer), { cutOff }),
    ),
    bus.serve(EMBED_SUBJECT, counted('embedder', embed), { cutOff }),
    bus.listen(INFERENCE_FORGET, (body) => {
      const { id } = body as ForgetModel;
      void background.once('forget-model', forget(adapters.forget(id)));
    }),
  ];
  const beating = setInterval(() => beat(false), INFERENCE_HEARTBEAT_MS);
  beat(false);
  const sweeping = background.repeat('sweep-models', () => forget(adapters.sweep()), { everyMs: SWEEP_MS });

  return {
    figures,
    async close() {
      clearInterval(beating);
      beat(true);
      const stopped = stopServing(subscriptions, closing, options.drainMs);
      await Promise.all([sweeping.close(), stopped, generation.close()]);
      await Promise.all([pool.close(), processModels.close()]);
    },
  };
}
