import { NO_USAGE } from '../../hosted/port.js';
import { recordedEmbeddings, type EmbeddedTexts, type EmbedderRequest } from '../../embeddings.js';
import { requireEmbeddable, textTooLong } from '../../fit.js';
import type { Lifecycle } from '../../lifecycle.js';
import type { Model } from '../../models.js';
import type { CallRequest } from '../../request.js';
import { withTexts } from '../../token-ids/texts.js';
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
  async run(call: CallRequest, model: Model, asked: EmbedderRequest): Promise<EmbeddedTexts> {
    const request = await withTexts(asked);
    const { facts, characters, dimensions } = requireEmbeddable(request, model);
    // A token has a character at least, and a text without any counts as one.
    const most = { input: Math.max(characters, request.inputs.length), output: 0 };
    const plan = { backend: RUNNER, model, task: 'embed', most, estimatedInputTokens: 0 } as const;
    const { inferenceId, done } = await this.lifecycle.run(call, plan, async (signal) => {
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
      if ('tooLong' in reply) throw textTooLong(request, reply.tooLong, facts);
      const inputTokens = reply.inputTokens.reduce((sum, tokens) => sum + tokens, 0);
      return {
        vectors: reply.vectors,
        usage: { ...NO_USAGE, inputTokens },
        servedBy: reply.servedBy,
        output: recordedEmbeddings(reply.vectors.length, dimensions),
      };
    });
    return { inferenceId, inputTokens: done.usage.inputTokens, vectors: { kind: 'base64', each: done.vectors } };
  }
}
