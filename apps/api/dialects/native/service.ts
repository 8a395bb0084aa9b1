import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import { Encoders } from '#calls/backends/runner/encoders.js';
import type { DecoderRequest, EncoderRequest, NativeRequest } from '#calls/encoder-request.js';
import { requireKind } from '#calls/fit.js';
import { Decoders } from '#calls/index.js';
import { Models, type Model } from '#calls/models.js';
import { TrainingRows } from '#calls/training-rows.js';
import { requireProject } from '../../projects/require-project.js';
import { namingFields } from '../shared/field-names.js';
import type { Incoming } from '../shared/incoming.js';
import { encodeResult } from './encode.js';
import {
  encodeDecoderAnswer,
  encodeEncoderAnswer,
  type NativeDecoderAnswer,
  type NativeEncoderAnswer,
} from './encode-answer.js';
import { decoderInput, encoderInput } from './recorded-input.js';

/** Serves `POST /inference`. */
@Injectable()
export class InferenceService {
  constructor(
    private readonly application: Application,
    private readonly models: Models,
    private readonly encoders: Encoders,
    private readonly decoders: Decoders,
    private readonly trainingRows: TrainingRows,
  ) {}

  /** @throws DomainError */
  run(call: Incoming<NativeRequest>): Promise<NativeEncoderAnswer | NativeDecoderAnswer> {
    return namingFields({ texts: 'text' }, () => this.answer(call));
  }

  private async answer(call: Incoming<NativeRequest>): Promise<NativeEncoderAnswer | NativeDecoderAnswer> {
    const start = performance.now();
    const { caller, request } = call;
    const model = await this.models.resolve(caller, request.modelId);
    requireKind(request, model);
    if (request.projectId !== null) await requireProject(this.application, caller.workspaceId, request.projectId);
    return request.kind === 'encoder'
      ? this.encode({ ...call, request }, model, start)
      : this.generate({ ...call, request }, model, start);
  }

  private async encode(
    { caller, correlationId, request, sent, signal }: Incoming<EncoderRequest>,
    model: Model,
    start: number,
  ): Promise<NativeEncoderAnswer> {
    const { store, projectId, schema } = request;
    if (request.isWarmup) {
      await this.encoders.warmUp({ caller }, model, request);
      return encodeEncoderAnswer(model, store, null);
    }
    const input = () => encoderInput(sent);
    const explaining = request.explain ? await this.trainingRows.begin(model, caller.workspaceId) : null;
    const answer = await this.encoders.run(
      { caller, correlationId, format: 'native', store, projectId, input, start, signal },
      model,
      request,
      (text, result, applied) => encodeResult(text, result, applied, schema, request),
      explaining?.request,
    );
    const explanation = await explaining?.finish(answer.nearest, answer.warnings);
    return encodeEncoderAnswer(model, store, answer, explanation && { ...explanation, isBatch: request.batch });
  }

  private async generate(
    { caller, correlationId, request, sent, signal }: Incoming<DecoderRequest>,
    model: Model,
    start: number,
  ): Promise<NativeDecoderAnswer> {
    const { generation, store, projectId } = request;
    if (request.isWarmup) {
      await this.decoders.warmUp(model, caller);
      return encodeDecoderAnswer(model, store, null);
    }
    const input = () => decoderInput(sent);
    const answer = await this.decoders.run(model, {
      ...{ caller, correlationId, store, projectId, input, start, signal, generation },
      format: 'native',
    });
    return encodeDecoderAnswer(model, store, answer);
  }
}
