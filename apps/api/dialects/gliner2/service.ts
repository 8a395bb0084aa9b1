import { Injectable } from '@nestjs/common';
import type { Caller, RequestIdentity } from '#application/caller.js';
import type { JsonObject } from '#domain/json.js';
import { Catalog } from '#model-catalog/catalog.js';
import { EncoderCalls } from '#calls/backends/runner/encoders.js';
import { requireSchema } from '#calls/backends/runner/failure.js';
import { encoderInput } from '../native/service.js';
import { ServedModels } from '#calls/models.js';
import type { Gliner2Request } from './decode.js';
import { encodeGliner2 } from './encode.js';

/** What it runs on, where the catalog has it or an alias of that name; else the first encoder of the catalog. */
const NAMED_ENCODER = 'fastino/gliner2-base-v1';

/** Serves the GLiNER2 API client. */
@Injectable()
export class Gliner2Service {
  private readonly encoderId: string;

  constructor(
    private readonly models: ServedModels,
    private readonly encoders: EncoderCalls,
    catalog: Catalog,
  ) {
    const first = catalog.entries.find((entry) => entry.task_type === 'encoder' && entry.supports_inference);
    this.encoderId = catalog.resolve(NAMED_ENCODER)?.id ?? first?.id ?? NAMED_ENCODER;
  }

  /** @throws DomainError */
  async run(
    caller: Caller,
    identity: RequestIdentity,
    request: Gliner2Request,
    sent: JsonObject,
  ): Promise<{ readonly result: unknown; readonly token_usage: number }> {
    const start = performance.now();
    const model = await this.models.find(caller, this.encoderId);
    const encoder = { ...request.encoder, modelId: this.encoderId };
    requireSchema(encoder, model);
    const { result, inputTokens } = await this.encoders.run({
      ...{ caller, identity, model, start, request: encoder, format: 'native' },
      input: () => encoderInput(sent),
      encode: (text, found, applied) => encodeGliner2(text, found, applied, request),
    });
    return { result, token_usage: inputTokens };
  }
}
