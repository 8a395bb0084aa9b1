import { Injectable } from '@nestjs/common';
import { Encoders } from '#calls/backends/runner/encoders.js';
import type { DecoderRequest, EncoderRequest, NativeRequest } from '#calls/encoder-request.js';
import { requireKind } from '#calls/fit.js';
import { CascadedCalls } from '#calls/cascade/cascaded-calls.js';
import { wholeAnswerOf } from '#calls/decoders.js';
import { Decoders } from '#calls/index.js';
import type { CascadeFacts } from '#domain/inference/index.js';
import type { Model } from '#calls/models.js';
import type { CallRequest } from '#calls/request.js';
import { TrainingRows } from '#calls/training-rows.js';
import type { Incoming } from '../shared/incoming.js';
import { ModelCalls } from '../shared/model-calls.js';
import { encodeResult } from '#calls/encoder-result.js';
import {
  encodeDecoderAnswer,
  encodeEncoderAnswer,
  type NativeDecoderAnswer,
  type NativeEncoderAnswer,
} from './encode.js';
import { decoderInput, encoderInput } from './recorded-input.js';

type OnAnswered = (dropped: readonly string[], cascade?: CascadeFacts) => void;

/** Serves `POST /inference`. */
@Injectable()
export class InferenceService {
  constructor(
    private readonly calls: ModelCalls,
    private readonly encoders: Encoders,
    private readonly decoders: Decoders,
    private readonly cascaded: CascadedCalls,
    private readonly trainingRows: TrainingRows,
  ) {}

  /**
   * @param onAnswered is given the hints that a decoder was not, and who answered for a distilled version
   * @throws DomainError
   */
  run(
    { request, sent, ...from }: Incoming<NativeRequest>,
    onAnswered?: OnAnswered,
  ): Promise<NativeEncoderAnswer | NativeDecoderAnswer> {
    const input = () => (request.kind === 'encoder' ? encoderInput(sent) : decoderInput(sent));
    return this.calls.run<NativeEncoderAnswer | NativeDecoderAnswer>(
      { ...from, request, format: 'native', input },
      { texts: 'text' },
      async (call, model) => {
        if (request.kind === 'decoder') return this.generate(call, model, request, onAnswered);
        requireKind(request, model);
        return this.encode(call, model, request);
      },
    );
  }

  private async encode(call: CallRequest, model: Model, request: EncoderRequest): Promise<NativeEncoderAnswer> {
    const { store, schema } = request;
    if (request.isWarmup) {
      await this.encoders.warmUp(call, model, request);
      return encodeEncoderAnswer(model, store, null);
    }
    const explaining = request.explain ? await this.trainingRows.begin(model, call.caller.workspaceId) : null;
    const answer = await this.encoders.run(
      call,
      model,
      request,
      (text, result, applied) => encodeResult(text, result, applied, schema, request),
      explaining?.request,
    );
    const explanation = await explaining?.finish(answer.nearest, answer.warnings);
    return encodeEncoderAnswer(model, store, answer, explanation && { ...explanation, isBatch: request.batch });
  }

  private async generate(
    call: CallRequest,
    model: Model,
    request: DecoderRequest,
    onAnswered?: OnAnswered,
  ): Promise<NativeDecoderAnswer> {
    const { generation, store } = request;
    const decoder = await this.cascaded.takes(call, model);
    requireKind(request, decoder);
    if (request.isWarmup) {
      await this.decoders.warmUp(decoder, call.caller);
      return encodeDecoderAnswer(model, store, null);
    }
    const asked = { ...call, generation, ...(model.cascade && { stream: false }) };
    const { run, cascade } = await this.cascaded.start(model, decoder, asked);
    const answer = await wholeAnswerOf(run);
    onAnswered?.(answer.dropped, cascade);
    return encodeDecoderAnswer(model, store, answer);
  }
}
