import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { Encoders } from '#calls/backends/runner/encoders.js';
import { Models } from '#calls/models.js';
import { TrainingRows } from '#calls/training-rows.js';
import { ConflictError, InvalidError } from '#domain/errors.js';
import { textsOf } from '#domain/inference/index.js';
import { inferenceOf } from '#projections/inferences/queries.js';
import type { ReviewDocument } from '#projections/reviews/projection.js';
import { isRecord } from '#primitives/values.js';

/** Texts of a call that are looked at. */
const MAX_TEXTS = 4;

/** Measures the distance of calls from the rows that a model learned. */
@Injectable()
export class Novelty {
  constructor(
    private readonly application: Application,
    private readonly models: Models,
    private readonly encoders: Encoders,
    private readonly trainingRows: TrainingRows,
  ) {}

  /**
   * The distance of each call to the training row that is nearest to it: 1 less the cosine of their vectors, of its
   * farthest text. The texts are those of lists, of which large ones are cut. Calls whose text is unknown are left out.
   * @throws InvalidError, ConflictError for a model without distances
   */
  async distances(
    caller: Caller,
    modelId: string,
    calls: readonly Pick<ReviewDocument, 'id'>[],
  ): Promise<ReadonlyMap<string, number>> {
    const model = await this.models.resolve(caller, modelId);
    if (model.trainingJobId === null || model.heads === null)
      throw untold('is not a trained encoder: it has no training rows here');
    const { request } = await this.trainingRows.begin(model, caller.workspaceId);
    if (request.datasets.length === 0)
      throw new ConflictError(`the datasets that ${modelId} was trained on were deleted; choose another strategy`);
    const texts = (await Promise.all(calls.map(({ id }) => this.textsOf(caller, id)))).flat();
    const nearest = await this.encoders.nearest(
      caller,
      model,
      texts.map(({ text }) => text),
      request,
    );
    const distances = new Map<string, number>();
    for (const [index, rows] of nearest.entries()) {
      if (rows === undefined)
        throw untold(
          'names no training rows: only models that the built-in engine trained do, and those of earlier releases only with classes; use another strategy',
        );
      const { id } = texts[index]!;
      const distance = 1 - (rows[0]?.similarity ?? 0);
      distances.set(id, Math.max(distance, distances.get(id) ?? 0));
    }
    return distances;
  }

  private async textsOf({ workspaceId }: Caller, id: string) {
    const call = await inferenceOf(this.application.ports.readStore, workspaceId, id);
    const input = call?.content?.input;
    const texts = (isRecord(input) && textsOf(input)) || [];
    return texts.slice(0, MAX_TEXTS).flatMap((text) => (text.trim() === '' ? [] : [{ id, text }]));
  }
}

const untold = (message: string): InvalidError =>
  new InvalidError({ path: ['query', 'model_id'], message, type: 'not_allowed' });
