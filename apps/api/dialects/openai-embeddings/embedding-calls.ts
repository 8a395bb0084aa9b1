import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import { HostedEmbeddingCalls } from '#calls/index.js';
import { recordedEmbeddings } from '#calls/embeddings.js';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { ConflictError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { ServedModels, type NamedModel } from '#calls/models.js';
import { requireProject } from '../../projects/require-project.js';
import { BuiltInEmbedders } from '#calls/backends/runner/embedders.js';
import type { EmbeddingsAnswer } from './encode.js';
import type { EmbeddingsRequest } from './request.js';

/** A request to `POST /v1/embeddings`, and whose it is. */
export interface EmbeddingsCall {
  readonly caller: Caller;
  readonly identity: RequestIdentity;
  readonly request: EmbeddingsRequest;
  /** As it was sent. */
  readonly sent: JsonObject;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/** Runs embedders, whoever serves them. */
@Injectable()
export class EmbeddingCalls {
  constructor(
    private readonly application: Application,
    private readonly models: ServedModels,
    private readonly hosted: HostedEmbeddingCalls,
    private readonly builtIn: BuiltInEmbedders,
  ) {}

  /** @throws DomainError */
  async run(call: EmbeddingsCall): Promise<EmbeddingsAnswer> {
    const start = performance.now();
    const { caller, request, sent } = call;
    const { modelId, projectId } = request;
    const model = await this.models.find(caller, modelId);
    requireEmbedder(model);
    if (projectId !== null) await requireProject(this.application, caller.workspaceId, projectId);
    const { inferenceId, ...answer } =
      model.baseModel.provider === null
        ? await this.builtIn.run({ ...call, model, start, format: 'openai', input: () => recordedInput(sent) })
        : await this.ask(call, model);
    return { ...answer, modelId, inferenceId: request.store ? inferenceId : null };
  }

  private async ask({ caller, identity, request, sent, signal }: EmbeddingsCall, model: NamedModel) {
    const { inputs, dimensions, encodingFormat: encoding, endUser, store, projectId, unknownFields } = request;
    const { inferenceId, vectors, inputTokens } = await this.hosted.run(
      { modelId: model.modelId, entry: model.baseModel },
      {
        ...{ caller, store, projectId, signal, format: 'openai', correlationId: identity.requestId },
        request: { inputs, encoding, unknownFields, ...(dimensions && { dimensions }), ...(endUser && { endUser }) },
        input: recordedInput(sent),
        output: (embeddings) => recordedEmbeddings(embeddings.vectors.length, embeddings.vectors[0]!.length),
      },
    );
    return { inferenceId, inputTokens, vectors: { kind: 'numbers', each: vectors } as const };
  }
}

/** @throws ConflictError naming the route that the model is for */
function requireEmbedder({ modelId, baseModel: { task_type: kind, instruct } }: NamedModel): void {
  if (kind === 'embedding') return;
  const route = kind === 'encoder' || instruct ? '/v1/chat/completions' : '/v1/completions';
  throw new ConflictError(
    `model ${modelId} is ${kind === 'encoder' ? 'an encoder' : 'a decoder'} and makes no embeddings: use it with ${route}, or name an embedder (GET /base-models?task_type=embedding)`,
  );
}

/** What the history shows as input: the caller's own words for what was asked. */
function recordedInput(sent: JsonObject): JsonObject {
  const shown = ['input', 'dimensions'];
  return Object.fromEntries(shown.flatMap((key) => (sent[key] === undefined ? [] : [[key, sent[key]]])));
}
