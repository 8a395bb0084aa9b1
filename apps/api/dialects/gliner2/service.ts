import { Injectable } from '@nestjs/common';
import type { Caller } from '#application/caller.js';
import { Catalog } from '#models/catalog/catalog.js';
import { Encoders } from '#calls/backends/runner/encoders.js';
import { requireEncoder, requireSchema } from '#calls/fit.js';
import { Models } from '#calls/models.js';
import { encoderInput } from '../native/recorded-input.js';
import type { Incoming } from '../shared/incoming.js';
import { ModelCalls } from '../shared/model-calls.js';
import type { Gliner2Request } from './decode.js';
import type { Gliner2Body, Gliner2Response } from './dto.js';
import { namingSent } from './sent-names.js';
import { encodeGliner2 } from './encode.js';

/** The default model of calls, if the workspace has one of this name in use. */
const DEFAULT_NAME = 'gliner-2';
/** Else the encoder of this id or alias, or the first encoder of the catalog. */
const DEFAULT_ENCODER = 'fastino/gliner2-base-v1';

/** Serves the GLiNER2 API client. */
@Injectable()
export class Gliner2Service {
  constructor(
    private readonly calls: ModelCalls,
    private readonly models: Models,
    private readonly encoders: Encoders,
    private readonly catalog: Catalog,
  ) {}

  /** @throws DomainError */
  run(call: Incoming<Gliner2Request>): Promise<Gliner2Response> {
    return namingSent(call.sent as unknown as Gliner2Body, () => this.answer(call));
  }

  private async answer({ request, sent, ...from }: Incoming<Gliner2Request>): Promise<Gliner2Response> {
    const encoder = { ...request.encoder, modelId: request.modelId ?? (await this.defaultOf(from.caller)) };
    const { result, inputTokens, warnings, truncated } = await this.calls.run(
      { ...from, request: encoder, format: 'native', input: () => encoderInput(sent) },
      { texts: 'text', modelId: 'model' },
      (call, model) => {
        requireEncoder(model);
        requireSchema(encoder, model);
        return this.encoders.run(call, model, encoder, (text, found, applied) =>
          encodeGliner2(text, found, applied, request),
        );
      },
    );
    return {
      result,
      token_usage: inputTokens,
      ...(warnings.length > 0 && { warnings: [...warnings] }),
      ...(truncated && { truncated }),
    };
  }

  private async defaultOf(caller: Caller): Promise<string> {
    return (await this.models.isInUse(caller, DEFAULT_NAME)) ? DEFAULT_NAME : this.defaultEncoder();
  }

  private defaultEncoder(): string {
    const { catalog } = this;
    const first = catalog.entries.find((entry) => entry.task_type === 'encoder' && entry.supports_inference);
    return catalog.resolve(DEFAULT_ENCODER)?.id ?? first?.id ?? DEFAULT_ENCODER;
  }
}
