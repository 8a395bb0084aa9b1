import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import { BuiltInEmbedders } from '#calls/backends/runner/embedders.js';
import { HostedEmbedders, type CallRequest } from '#calls/index.js';
import { requireEmbedder } from '#calls/fit.js';
import { Models } from '#calls/models.js';
import type { JsonObject } from '#domain/json.js';
import { requireProject } from '../../projects/require-project.js';
import { namingFields } from '../shared/field-names.js';
import type { Incoming } from '../shared/incoming.js';
import type { EmbeddingsAnswer } from './encode.js';
import type { EmbeddingsRequest } from './request.js';

/** Runs built-in and hosted embedders. */
@Injectable()
export class EmbeddingsService {
  constructor(
    private readonly application: Application,
    private readonly models: Models,
    private readonly hosted: HostedEmbedders,
    private readonly builtIn: BuiltInEmbedders,
  ) {}

  /** @throws DomainError */
  async run({ caller, correlationId, request, sent, signal }: Incoming<EmbeddingsRequest>): Promise<EmbeddingsAnswer> {
    const start = performance.now();
    const { modelId, projectId, store } = request;
    const model = await this.models.resolve(caller, modelId);
    requireEmbedder(model);
    if (projectId !== null) await requireProject(this.application, caller.workspaceId, projectId);
    const embedders = model.entry.provider === null ? this.builtIn : this.hosted;
    const input = () => recordedInput(sent);
    const call: CallRequest = { caller, correlationId, format: 'openai', store, projectId, input, start, signal };
    const run = () => embedders.run(call, model, request);
    const { inferenceId, ...answer } = await namingFields({ inputs: 'input' }, run);
    return { ...answer, modelId, inferenceId: store ? inferenceId : null };
  }
}

/** The input shown in the history: the caller's own words. */
function recordedInput(sent: JsonObject): JsonObject {
  const shown = ['input', 'dimensions'];
  return Object.fromEntries(shown.flatMap((key) => (sent[key] === undefined ? [] : [[key, sent[key]]])));
}
