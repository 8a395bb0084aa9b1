import { NO_USAGE, type EmbeddingRequest, type Embeddings } from '../../hosted/port.js';
import { recordedEmbeddings, type EmbeddedTexts, type EmbedderRequest } from '../../embeddings.js';
import { requireUpstream } from '../../fit.js';
import type { Model } from '../../models.js';
import type { CallRequest } from '../../request.js';
import { withTexts } from '../../token-ids/texts.js';
import { estimateTokens } from '../../tokens.js';
import { HOSTED, workspaceOf, type HostedParts } from './backend.js';

/** Tokens that a model may put around each text. */
const AROUND_A_TEXT = 8;

/** Embedders of hosted providers. */
export class HostedEmbedders {
  constructor(private readonly parts: HostedParts) {}

  /**
   * @throws BillingError, RegionRestrictedError before anything runs
   * @throws UpstreamRejectedError the provider refused the request itself: its status and message
   * @throws ConflictError the model is in the catalog and cannot be served here
   * @throws UnavailableError anything else that kept it from an answer
   */
  async run(call: CallRequest, model: Model, asked: EmbedderRequest): Promise<EmbeddedTexts> {
    const { lifecycle, hosted, accounts } = this.parts;
    const { provider } = model.entry;
    const request = provider && hosted.takesTokenIds(provider) ? asked : await withTexts(asked);
    const { inputs } = request;
    const workspace = workspaceOf(await accounts.of(call.caller.teamId), call.caller);
    const texts = inputs.filter((input) => typeof input === 'string');
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const ids = inputs.reduce((sum, input) => sum + (typeof input === 'string' ? 0 : input.length), 0);
    const estimatedInputTokens = estimateTokens(bytes) + ids;
    // A text token is at least one byte; each text adds a small overhead.
    const most = { input: bytes + ids + AROUND_A_TEXT * inputs.length, output: 0 };
    const plan = { backend: HOSTED, model, task: 'embed', most, estimatedInputTokens } as const;
    const { inferenceId, done } = await lifecycle.run(call, plan, async (signal) => {
      const options = { workspace, ...(signal && { signal }) };
      const { vectors, inputTokens, provider }: Embeddings = await hosted.embed(
        requireUpstream(model, hosted),
        asSent(request),
        options,
      );
      return {
        vectors,
        // The provider's count, or an estimate of it.
        usage: { ...NO_USAGE, inputTokens: inputTokens ?? estimatedInputTokens },
        provider,
        output: recordedEmbeddings(vectors.length, vectors[0]!.length),
      };
    });
    return { inferenceId, inputTokens: done.usage.inputTokens, vectors: { kind: 'numbers', each: done.vectors } };
  }
}

const asSent = ({ inputs, encodingFormat, unknownFields, dimensions, endUser }: EmbedderRequest): EmbeddingRequest => ({
  ...{ inputs, encoding: encodingFormat, unknownFields },
  ...(dimensions && { dimensions }),
  ...(endUser && { endUser }),
});
