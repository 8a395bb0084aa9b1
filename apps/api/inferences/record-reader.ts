import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import { InvalidError } from '#domain/errors.js';
import type { CallContentBody } from '#domain/inference/index.js';
import type { JsonObject } from '#domain/json.js';
import { Catalog } from '#model-catalog/catalog.js';
import { ObjectNotFoundError } from '#object-store/port.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { inferenceRecord } from './record.js';

/** Content that one answer holds at most, unless it is that of one record. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Completes documents with what lies elsewhere: large content in the object store, names of models. */
@Injectable()
export class RecordReader {
  constructor(
    private readonly application: Application,
    private readonly catalog: Catalog,
  ) {}

  /** @throws InvalidError naming `limit` when these hold too much to be answered at once */
  async read(documents: readonly InferenceDocument[]): Promise<JsonObject[]> {
    requireModest(documents);
    const names = await this.modelNames(documents);
    return Promise.all(
      documents.map(async (document) =>
        inferenceRecord(document, await this.content(document), names.get(document.modelId) ?? document.modelId),
      ),
    );
  }

  private async modelNames(documents: readonly InferenceDocument[]): Promise<ReadonlyMap<string, string>> {
    const ids = new Set(documents.map(({ modelId }) => modelId));
    const named = [...ids].map(async (id): Promise<[string, string]> => {
      const entry = this.catalog.resolve(id);
      if (entry) return [id, entry.label];
      const job = await this.application.ports.readStore.get<TrainingJobDocument>('training-jobs', id);
      return [id, job?.modelName ?? id];
    });
    return new Map(await Promise.all(named));
  }

  private async content({ content }: InferenceDocument): Promise<CallContentBody | null> {
    if (content === null || !isObjectReference(content)) return content;
    try {
      const chunks = await Array.fromAsync(await this.application.ports.objectStore.get(content.objectKey));
      return JSON.parse(Buffer.concat(chunks).toString('utf8')) as CallContentBody;
    } catch (error) {
      // Deleted content leaves the record of the call.
      if (error instanceof ObjectNotFoundError) return null;
      throw error;
    }
  }
}

function requireModest(documents: readonly InferenceDocument[]): void {
  let bytes = 0;
  for (const [index, { content }] of documents.entries()) {
    if (content !== null && isObjectReference(content)) bytes += content.size;
    if (index === 0 || bytes <= MOST_BYTES) continue;
    const message = `is too large here: these records hold more than 64 MiB of input and output; ask for ${index} at once`;
    throw new InvalidError({ path: ['query', 'limit'], message, type: 'out_of_range' });
  }
}

type Content = NonNullable<InferenceDocument['content']>;

const isObjectReference = (content: Content): content is Exclude<Content, CallContentBody> =>
  typeof content['objectKey'] === 'string';
