import { endianness } from 'node:os';
import type { CreateService, ThreadService } from '#primitives/thread/service.js';
import type { Engine, ExplainRequest, InferRequest, InferSchema } from '#gpu-runner/engines/engine.js';
import { certainSteps } from '#gpu-runner/engines/certainty.js';
import type { Embedder } from '#gpu-runner/engines/embedder.js';
import type { Steps } from '#gpu-runner/engines/steps.js';
import { asAnswered } from '../serving/answered-errors.js';
import { checkCached } from '../adapters/cached-on-disk.js';
import { FairTurns } from './fair-turns.js';
import { LoadedModels } from './loaded-models.js';
import { ownSchema } from './own-schema.js';
import type { EmbedCall, EmbedReply, InferenceAnswer } from '#gpu-runner/contract/inference.js';

/** The call to which a part belongs. */
interface PartOfCall {
  /** URL of the module of the engine that runs it. */
  readonly engine: string;
  /** Unique within one thread; `drop` refers to it. */
  readonly call: number;
  readonly workspaceId: string;
  /** Cheap enough to be done at once. */
  readonly short: boolean;
}

/** A part of a call's texts, with local folders. */
export interface InferencePart extends PartOfCall {
  readonly baseDirectory: string;
  readonly adapterDirectory: string | null;
  readonly texts: readonly string[];
  readonly schema: InferSchema | null;
  readonly threshold: number | null;
  readonly explain?: ExplainRequest | undefined;
  readonly certainty?: boolean | undefined;
}

/** A part of an embedder call's texts. */
export interface EmbedPart extends PartOfCall, Omit<EmbedCall, 'workspaceId'> {
  /** Folder of the embedder's weights, if it has some. */
  readonly directory?: string | undefined;
}

export interface InferenceThreadOptions {
  /** Adapters kept in memory in addition to the bases, in bytes. */
  readonly maxAdapterBytes: number;
}

/**
 * The thread in which models live: loads them on first use, runs calls in fair turns, evicts the least recently used.
 */
export const createService: CreateService<InferenceThreadOptions> = (options): ThreadService => {
  const models = new LoadedModels(options.maxAdapterBytes, checkCached);
  const engines = new Map<string, Engine>();
  const engineOf = async (module: string): Promise<Engine> => {
    const { engine } = (await import(module)) as { readonly engine: Engine };
    engines.set(module, engine);
    return engine;
  };
  const embedders = new Map<string, Embedder>();
  const embedderOf = (engine: Engine, { modelId, directory }: EmbedPart): Embedder => {
    let embedder = embedders.get(modelId);
    if (!embedder) embedders.set(modelId, (embedder = engine.embedder!(modelId, directory)));
    return embedder;
  };
  const turns = new FairTurns();
  const inTurn = <Result>({ workspaceId, call, short }: PartOfCall, steps: Steps<Result>) =>
    turns.run(workspaceId, call, short, steps);
  return {
    handle(method, args) {
      if (method === 'forget') return models.forget(args[0] as string);
      if (method === 'drop') return turns.drop(args[0] as number);
      const part = args[0] as InferencePart | EmbedPart;
      const begin = (engine: Engine) =>
        'modelId' in part
          ? inTurn<EmbedReply>(
              part,
              embed(() => embedderOf(engine, part), part),
            )
          : inTurn<InferenceAnswer>(part, run(models, engine, part));
      const engine = engines.get(part.engine);
      return engine ? begin(engine) : engineOf(part.engine).then(begin);
    },
  };
};

function* run(models: LoadedModels, engine: Engine, part: InferencePart): Steps<InferenceAnswer> {
  try {
    const model = models.get(engine, part.baseDirectory, part.adapterDirectory);
    const schema = part.schema ?? ownSchema(model.abilities);
    const { texts, threshold, explain, certainty = false } = part;
    const request: InferRequest = { texts, schema, threshold, explain, likeness: certainty };
    const { results, warnings, inputTokens } = yield* certainty
      ? certainSteps((each) => model.infer(each), request)
      : model.infer(request);
    return { results, warnings, inputTokens, schema };
  } catch (error) {
    throw asAnswered(error);
  }
}

function* embed(load: () => Embedder, { texts, dimensions }: EmbedPart): Steps<EmbedReply> {
  const { vectors, inputTokens } = yield* loaded(load).embed(texts, dimensions);
  const tooLong = inputTokens.indexOf(null);
  if (tooLong >= 0) return { tooLong };
  return {
    vectors: texts.map((_, index) => littleEndian(vectors.subarray(index * dimensions, (index + 1) * dimensions))),
    inputTokens: inputTokens as readonly number[],
  };
}

function loaded(load: () => Embedder): Embedder {
  try {
    return load();
  } catch (error) {
    throw asAnswered(error);
  }
}

function littleEndian(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return (endianness() === 'LE' ? bytes : Buffer.from(bytes).swap32()).toString('base64');
}
