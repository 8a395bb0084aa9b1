import { worstCase, type BillingGate } from '#application/billing/index.js';
import type { CallRecorder } from '#calls/recording/call-recorder.js';
import { ConflictError, InvalidError, UnavailableError } from '#domain/errors.js';
import { EMBEDDERS, type EmbedderFacts } from '#gpu-runner/embedders.js';
import type { EmbedAnswer } from '#gpu-runner/contract/inference.js';
import { failureOf, LEFT } from './failure.js';
import type { RoutedCalls } from './routed-calls.js';
import { ServedCall, type CallFacts } from '../../served-call.js';
import type { NamedModel } from '../../models.js';
import { recordedEmbeddings, type EmbedderRequest, type EmbeddedTexts } from '../../embeddings.js';

const DEADLINE_MS = 60_000;

export interface BuiltInCall extends CallFacts {
  readonly request: EmbedderRequest;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/** Runs embedders of the engines here: a call is admitted (money), run, recorded and settled before it is answered. */
export class BuiltInEmbedders {
  constructor(
    private readonly recorder: CallRecorder,
    private readonly runners: RoutedCalls,
    private readonly billing: BillingGate,
  ) {}

  /** @throws DomainError */
  async run(call: BuiltInCall): Promise<EmbeddedTexts> {
    const { caller, model, request } = call;
    const facts = factsOf(model);
    const dimensions = dimensionsOf(request, facts);
    const characters = charactersOf(request, facts);
    if (!this.recorder.accepting) throw new UnavailableError('the event log takes no writes now; try again');
    const reservation = await this.billing.admit({
      ...{ caller, entry: model.baseModel },
      // A token has a character at least, and what has none counts as one.
      worstCase: worstCase(model.price, { input: Math.max(characters, request.inputs.length), output: 0 }),
    });
    const served = new ServedCall(this.recorder, reservation, call);
    let answer: EmbedAnswer;
    try {
      const reply = await this.answer(call, dimensions);
      if ('tooLong' in reply) throw tooLong(request, reply.tooLong, facts);
      answer = reply;
    } catch (error) {
      throw await served.failed('embed', call.signal.aborted ? LEFT : failureOf(error, model));
    }
    const { vectors, inputTokens: counts } = answer;
    const inputTokens = counts.reduce((sum, tokens) => sum + tokens, 0);
    await served.answered({ task: 'embed', inputTokens, result: recordedEmbeddings(vectors.length, dimensions) });
    return { inferenceId: served.inferenceId, vectors: { kind: 'base64', each: vectors }, inputTokens };
  }

  private answer({ caller, model, request, signal }: BuiltInCall, dimensions: number) {
    const { reference } = model;
    if (reference instanceof Error) return Promise.reject(reference);
    const { workspaceId } = caller;
    const call = { workspaceId, modelId: reference.baseModelId, texts: request.inputs, dimensions };
    return this.runners.embed(call, { deadlineMs: DEADLINE_MS, signal });
  }
}

/** @throws ConflictError where the catalog calls another model of an engine here an embedder */
function factsOf({ modelId, baseModel }: NamedModel): EmbedderFacts {
  const facts = EMBEDDERS.get(baseModel.id);
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
