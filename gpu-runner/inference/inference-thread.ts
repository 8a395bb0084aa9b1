import { endianness } from 'node:os';
import type { CreateService, ThreadService } from '#thread/service.js';
import { builtinEngine } from '../engine/builtin/index.js';
import {
  ArtifactError,
  UnsupportedHeadError,
  type InferRequest,
  type InferSchema,
  type LoadedModel,
} from '../engine/engine.js';
import { EMBEDDERS } from '../embedders.js';
import { createEmbedder } from '../engine/builtin/embedder/index.js';
import type { Embedder } from '../engine/embedder.js';
import { inferenceError } from '../contract/inference-errors.js';
import type { Steps } from '../engine/steps.js';
import { checkCached } from './cached-on-disk.js';
import { FairTurns } from './fair-turns.js';
import { LoadedModels } from './loaded-models.js';
import { type EmbedCall, type EmbedReply, type InferenceAnswer } from '../contract/inference.js';

/** Whose call a part is of. */
interface PartOfCall {
  /** Of one thread's side only; `drop` names it. */
  readonly call: number;
  readonly workspaceId: string;
  /** Cheap enough to be done at once. */
  readonly short: boolean;
}

/** One part of a call: some of its texts, on local folders. */
export interface InferencePart extends PartOfCall {
  readonly baseDirectory: string;
  readonly adapterDirectory: string | null;
  readonly texts: readonly string[];
  readonly schema: InferSchema | null;
  readonly threshold: number;
}

/** One part of a call of an embedder. */
export interface EmbedPart extends PartOfCall, Omit<EmbedCall, 'workspaceId'> {}

export interface InferenceThreadOptions {
  /** Adapters kept in memory besides the bases, in bytes. */
  readonly mostAdapterBytes: number;
}

/** The thread in which models live: loads them on first use, runs calls in fair turns, forgets what was not used for longest. */
export const createService: CreateService<InferenceThreadOptions> = (options): ThreadService => {
  const models = new LoadedModels(builtinEngine, options.mostAdapterBytes, checkCached);
  const embedders = new Map<string, Embedder>();
  const embedderOf = (id: string): Embedder => {
    let embedder = embedders.get(id);
    if (!embedder) embedders.set(id, (embedder = createEmbedder(EMBEDDERS.get(id)!.mostTokens)));
    return embedder;
  };
  const turns = new FairTurns();
  const inTurn = <Result>({ workspaceId, call, short }: PartOfCall, steps: Steps<Result>) =>
    turns.run(workspaceId, call, short, steps);
  return {
    handle(method, args) {
      if (method === 'forget') return models.forget(args[0] as string);
      if (method === 'drop') return turns.drop(args[0] as number);
      if (method === 'embed') {
        const part = args[0] as EmbedPart;
        return inTurn(part, embed(embedderOf(part.modelId), part));
      }
      const part = args[0] as InferencePart;
      return inTurn(part, run(models, part));
    },
  };
};

function* run(models: LoadedModels, part: InferencePart): Steps<InferenceAnswer> {
  try {
    const model = models.get(part.baseDirectory, part.adapterDirectory);
    const schema = part.schema ?? ownSchema(model);
    const request: InferRequest = { texts: part.texts, schema, threshold: part.threshold };
    const { results, warnings, inputTokens } = yield* model.inferInSteps(request);
    return { results, warnings, inputTokens, schema };
  } catch (error) {
    throw asAnswered(error);
  }
}

function* embed(embedder: Embedder, { texts, dimensions }: EmbedPart): Steps<EmbedReply> {
  const { vectors, inputTokens } = yield* embedder.embedInSteps(texts, dimensions);
  const tooLong = inputTokens.indexOf(null);
  if (tooLong >= 0) return { tooLong };
  return {
    vectors: texts.map((_, index) => littleEndian(vectors.subarray(index * dimensions, (index + 1) * dimensions))),
    inputTokens: inputTokens as readonly number[],
  };
}

function littleEndian(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return (endianness() === 'LE' ? bytes : Buffer.from(bytes).swap32()).toString('base64');
}

/** A trained model's own labels; its label group is called `classification`. */
function ownSchema({ abilities }: LoadedModel): InferSchema {
  const { entityLabels, classLabels, multiLabel } = abilities;
  if (entityLabels === null && classLabels === null)
    throw inferenceError('schema_required', {}, 'this model has no labels of its own: send a schema');
  return {
    ...(entityLabels && { entities: entityLabels.map((name) => ({ name })) }),
    ...(classLabels && { classifications: [{ task: 'classification', labels: classLabels, multiLabel }] }),
  };
}

/** An engine's errors as runners answer with them. */
function asAnswered(error: unknown): unknown {
  if (error instanceof UnsupportedHeadError)
    return inferenceError('unsupported_head', { head: error.head }, error.message);
  return error instanceof ArtifactError ? inferenceError('not_servable', {}, error.message) : error;
}
