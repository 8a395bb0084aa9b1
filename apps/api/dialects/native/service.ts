import { Injectable } from '@nestjs/common';
import { Encoders } from '#calls/backends/runner/encoders.js';
import type { DecoderRequest, EncoderRequest, NativeRequest } from '#calls/encoder-request.js';
import { requireKind } from '#calls/fit.js';
import { Decoders } from '#calls/index.js';
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

/** Serves `POST /inference`. */
@Injectable()
export class InferenceService {
  constructor(
    private readonly calls: ModelCalls,
    private readonly encoders: Encoders,
    private readonly decoders: Decoders,
    private readonly trainingRows: TrainingRows,
  ) {}

  /**
   * @param onDropped is given the hints that a decoder was not
   * @throws DomainError
   */
  run(
    { request, sent, ...from }: Incoming<NativeRequest>,
    onDropped?: (names: readonly string[]) => void,
  ): Promise<NativeEncoderAnswer | NativeDecoderAnswer> {
    const input = () => (request.kind === 'encoder' ? encoderInput(sent) : decoderInput(sent));
    return this.calls.run<NativeEncoderAnswer | NativeDecoderAnswer>(
      { ...from, request, format: 'native', input },
      { texts: 'text' },
      (call, model) => {
        requireKind(request, model);
        return request.kind === 'encoder'
          ? this.encode(call, model, request)
          : this.generate(call, model, request, onDropped);
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
    onDropped?: (names: readonly string[]) => void,
  ): Promise<NativeDecoderAnswer> {
    const { generation, store } = request;
    if (request.isWarmup) {
      await this.decoders.warmUp(model, call.caller);
      return encodeDecoderAnswer(model, store, null);
    }
    const answer = await this.decoders.run(model, { ...call, generation });
    onDropped?.(answer.dropped);
    return encodeDecoderAnswer(model, store, answer);
  }
}
