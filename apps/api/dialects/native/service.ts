import { Injectable } from '@nestjs/common';
import { HostedDecoders } from '#calls/index.js';
import { Application } from '#application/application.js';
import type { CallRequest } from '#calls/request.js';
import type { Json, JsonObject } from '#domain/json.js';
import { requireProject } from '../../projects/require-project.js';
import { Encoders } from '#calls/backends/runner/encoders.js';
import { requireKind } from '#calls/fit.js';
import { encodeResult } from './encode.js';
import type { DecoderRequest, EncoderRequest, NativeRequest } from '#calls/encoder-request.js';
import { Models, type Model } from '#calls/models.js';

/** A request to `POST /inference`. */
export interface NativeCall<Request extends NativeRequest = NativeRequest> extends Pick<
  CallRequest,
  'caller' | 'correlationId' | 'signal'
> {
  readonly request: Request;
  /** As it was sent. */
  readonly sent: JsonObject;
}

/** The answer of `POST /inference` for an encoder. */
export interface EncoderAnswer extends JsonObject {
  readonly type: 'encoder';
  /** null where nothing was stored. */
  readonly inference_id: string | null;
  /** A list when `text` was one. */
  readonly result: Json;
  readonly model_id: string;
  /** What really ran: an alias's target, or the training job. */
  readonly model_used: string;
  readonly latency_ms: number;
  readonly token_usage: number;
}

/** The answer of `POST /inference` for a decoder. */
export interface DecoderNativeAnswer extends JsonObject {
  readonly type: 'decoder';
  readonly inference_id: string | null;
  readonly completion: string;
  readonly model_id: string;
  /** What really ran: an alias's target. */
  readonly model_used: string;
  readonly latency_ms: number;
  /** Input and output, those of a cache included. */
  readonly token_usage: number;
}

/** Answers native inference calls. */
@Injectable()
export class InferenceService {
  constructor(
    private readonly application: Application,
    private readonly models: Models,
    private readonly encoders: Encoders,
    private readonly decoders: HostedDecoders,
  ) {}

  /** @throws DomainError */
  async run(call: NativeCall): Promise<EncoderAnswer | DecoderNativeAnswer> {
    const start = performance.now();
    const { caller, request } = call;
    const model = await this.models.resolve(caller, request.modelId);
    requireKind(request, model);
    if (request.projectId !== null) await requireProject(this.application, caller.workspaceId, request.projectId);
    return request.kind === 'encoder'
      ? this.encode({ ...call, request }, model, start)
      : this.generate({ ...call, request }, model);
  }

  private async encode(
    { caller, correlationId, request, sent, signal }: NativeCall<EncoderRequest>,
    model: Model,
    start: number,
  ): Promise<EncoderAnswer> {
    if (request.isWarmup) {
      await this.encoders.warmUp({ caller }, model, request);
      return encoderAnswer(model, { inferenceId: null, result: {}, latencyMs: 0, inputTokens: 0 });
    }
    const { store, projectId, schema } = request;
    const input = () => encoderInput(sent);
    const { inferenceId, warnings, truncated, ...outcome } = await this.encoders.run(
      { caller, correlationId, format: 'native', store, projectId, input, start, signal },
      model,
      request,
      (text, result, applied) => encodeResult(text, result, applied, schema, request),
    );
    return {
      ...encoderAnswer(model, { ...outcome, inferenceId: request.store ? inferenceId : null }),
      ...(warnings.length > 0 && { warnings: warnings as unknown as Json }),
      ...(truncated && { truncated: true }),
    };
  }

  private async generate(
    { caller, correlationId, request, sent, signal }: NativeCall<DecoderRequest>,
    model: Model,
  ): Promise<DecoderNativeAnswer> {
    const { generation, store, projectId, isWarmup } = request;
    const base = { type: 'decoder', model_id: model.modelId, model_used: model.entry.id } as const;
    if (isWarmup) {
      await this.decoders.warmUp(model, caller);
      return { ...base, inference_id: null, completion: '', latency_ms: 0, token_usage: 0 };
    }
    const input = () => decoderInput(sent);
    const { usage, inferenceId, text, latencyMs } = await this.decoders.run(model, {
      ...{ caller, correlationId, store, projectId, input, signal, generation },
      format: 'native',
    });
    return {
      ...base,
      inference_id: store ? inferenceId : null,
      completion: text,
      latency_ms: latencyMs,
      token_usage: usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    };
  }
}

function encoderAnswer(
  model: Model,
  outcome: Pick<EncoderAnswer, 'result'> & {
    readonly inferenceId: string | null;
    readonly latencyMs: number;
    readonly inputTokens: number;
  },
): EncoderAnswer {
  return {
    type: 'encoder',
    inference_id: outcome.inferenceId,
    result: outcome.result,
    model_id: model.modelId,
    model_used: model.trainingJobId ?? model.entry.id,
    latency_ms: outcome.latencyMs,
    token_usage: outcome.inputTokens,
  };
}

/** What the history shows as input: the request's own words for what was asked. */
export function encoderInput({ text, schema, threshold }: JsonObject): JsonObject {
  return { text: text ?? null, ...(schema !== undefined && { schema }), ...(threshold !== undefined && { threshold }) };
}

function decoderInput(sent: JsonObject): JsonObject {
  const shown = ['messages', 'max_tokens', 'temperature', 'top_p', 'stop'];
  return Object.fromEntries(shown.flatMap((key) => (sent[key] === undefined ? [] : [[key, sent[key]]])));
}
