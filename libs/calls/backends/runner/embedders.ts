import { ConflictError, InvalidError } from '#domain/errors.js';
import { EMBEDDERS, type EmbedderFacts } from '#gpu-runner/embedders.js';
import { NO_USAGE } from '#hosted-models/port.js';
import { recordedEmbeddings, type EmbeddedTexts, type EmbedderRequest } from '../../embeddings.js';
import type { Lifecycle } from '../../lifecycle.js';
import type { Model } from '../../models.js';
import type { CallRequest } from '../../request.js';
import { RUNNER } from './backend.js';
import type { Runners } from './runners.js';

const DEADLINE_MS = 60_000;

/** Embedders of the engines here. */
export class BuiltInEmbedders {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly runners: Pick<Runners, 'embed'>,
  ) {}

  /** @throws DomainError */
  async run(call: CallRequest, model: Model, request: EmbedderRequest): Promise<EmbeddedTexts> {
    const facts = factsOf(model);
    const dimensions = dimensionsOf(request, facts);
    // A token has a character at least, and a text without any counts as one.
    const most = { input: Math.max(charactersOf(request, facts), request.inputs.length), output: 0 };
    const plan = { backend: RUNNER, model, task: 'embed', most, estimatedInputTokens: 0 } as const;
    const { vectors, usage, inferenceId } = await this.lifecycle.run(call, plan, async (signal) => {
      const { reference } = model;
      if (reference instanceof Error) throw reference;
      const reply = await this.runners.embed(
        {
          workspaceId: call.caller.workspaceId,
          modelId: reference.baseModelId,
          texts: request.inputs,
          dimensions,
        },
        { deadlineMs: DEADLINE_MS, ...(signal && { signal }) },
      );
      if ('tooLong' in reply) throw tooLong(request, reply.tooLong, facts);
      const inputTokens = reply.inputTokens.reduce((sum, tokens) => sum + tokens, 0);
      return {
        vectors: reply.vectors,
        usage: { ...NO_USAGE, inputTokens },
        output: recordedEmbeddings(reply.vectors.length, dimensions),
      };
    });
    return { inferenceId, inputTokens: usage.inputTokens, vectors: { kind: 'base64', each: vectors } };
  }
}

/** @throws ConflictError where the catalog calls another model of an engine here an embedder */
function factsOf({ modelId, entry }: Model): EmbedderFacts {
  const facts = EMBEDDERS.get(entry.id);
  if (facts) return facts;
  throw new ConflictError(`model ${modelId} is in the catalog as an embedder, and no engine here has such an embedder`);
}

function dimensionsOf({ dimensions, modelId }: EmbedderRequest, { dimensions: most }: EmbedderFacts): number {
  if (dimensions === null || dimensions <= most) return dimensions ?? most;
  throw new InvalidError({
    path: ['body', 'dimensions'],
    message: `must be at most ${most}, the dimensions of ${modelId}`,
    type: 'out_of_range',
  });
}

function charactersOf({ inputs }: EmbedderRequest, { mostCharacters }: EmbedderFacts): number {
  const characters = inputs.reduce((sum, { length }) => sum + length, 0);
  if (characters <= mostCharacters) return characters;
  throw new InvalidError({
    path: ['body', 'input'],
    message: `must hold at most ${mostCharacters} characters in all, not ${characters}: send them in several requests`,
    type: 'out_of_range',
  });
}

const tooLong = ({ isBatch, modelId }: EmbedderRequest, index: number, { mostTokens }: EmbedderFacts) =>
  new InvalidError({
    path: ['body', 'input', ...(isBatch ? [index] : [])],
    message: `must be at most ${mostTokens} tokens, the context window of ${modelId}; cut it into several texts`,
    type: 'out_of_range',
  });
