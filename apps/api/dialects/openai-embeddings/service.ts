import { Injectable } from '@nestjs/common';
import { BuiltInEmbedders } from '#calls/backends/runner/embedders.js';
import { HostedEmbedders } from '#calls/index.js';
import { requireEmbedder } from '#calls/fit.js';
import type { EmbedderRequest } from '#calls/embeddings.js';
import type { JsonObject } from '#domain/json.js';
import type { Incoming } from '../shared/incoming.js';
import { ModelCalls } from '../shared/model-calls.js';
import type { EmbeddingsAnswer } from './encode.js';

/** Runs built-in and hosted embedders. */
@Injectable()
export class EmbeddingsService {
  constructor(
    private readonly calls: ModelCalls,
    private readonly hosted: HostedEmbedders,
    private readonly builtIn: BuiltInEmbedders,
  ) {}

  /** @throws DomainError */
  run({ request, sent, ...from }: Incoming<EmbedderRequest>): Promise<EmbeddingsAnswer> {
    const asked = { ...from, request, format: 'openai', input: () => recordedInput(sent) } as const;
    return this.calls.run(asked, { inputs: 'input' }, async (call, model) => {
      requireEmbedder(model);
      const embedders = model.entry.provider === null ? this.builtIn : this.hosted;
      const { inferenceId, ...answer } = await embedders.run(call, model, request);
      return { ...answer, modelId: request.modelId, inferenceId: request.store ? inferenceId : null };
    });
  }
}

/** The input shown in the history: the caller's own words, and the person whose call it was, by whom it is erased. */
function recordedInput(sent: JsonObject): JsonObject {
  const shown = ['input', 'dimensions', 'user'];
  return Object.fromEntries(shown.flatMap((key) => (sent[key] === undefined ? [] : [[key, sent[key]]])));
}
