import { Injectable } from '@nestjs/common';
import type { EncoderRequest } from '#calls/encoder-request.js';
import { requireKind } from '#calls/fit.js';
import { Encoders } from '#calls/backends/runner/encoders.js';
import { Models } from '#calls/models.js';
import type { Json } from '#domain/json.js';
import { Errands, type Errand } from '../errands.js';

/** Measures how long calls of models take. */
@Injectable()
export class CallTimes {
  constructor(
    private readonly errands: Errands,
    private readonly models: Models,
    private readonly encoders: Encoders,
  ) {}

  /**
   * The median duration of a call of a model, in milliseconds; 0 without texts. Each text is a call, which is charged as any other and
   * keeps no content.
   * @throws DomainError as a call
   */
  async medianMs(errand: Errand, modelId: string, texts: readonly string[]): Promise<number> {
    const durations: number[] = [];
    for (const text of texts) {
      const caller = await this.errands.admit(errand, ['inference'], 'inference');
      const model = await this.models.resolve(caller, modelId);
      const request: EncoderRequest = {
        ...{ kind: 'encoder', modelId, texts: [text], batch: false, schema: null, threshold: null },
        ...{ store: false, projectId: null, includeConfidence: true, includeSpans: true },
        ...{ explain: false, isWarmup: false },
      };
      requireKind(request, model);
      const { latencyMs } = await this.encoders.run(
        {
          ...{ caller, correlationId: errand.requestId, format: 'native', store: false, projectId: null },
          input: () => ({ model_id: modelId, text }),
          start: performance.now(),
        },
        model,
        request,
        (_, result) => result as unknown as Json,
      );
      durations.push(latencyMs);
    }
    return durations.toSorted((a, b) => a - b)[Math.floor(durations.length / 2)] ?? 0;
  }
}
