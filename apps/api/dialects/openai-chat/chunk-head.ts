import type { JsonObject } from '#domain/json.js';
import type { BegunAnswer } from '../shared/compatible-calls.js';

/** The fields common to all chunks of a stream, serialised once, and again only when the provider reports more. */
export class ChunkHead {
  /** An object that is still open. */
  json!: string;
  fields!: JsonObject;
  private details: JsonObject = {};
  private readonly own: JsonObject;

  /** @param prefix of the id */
  constructor({ run, modelId, inferenceId, notes }: BegunAnswer, prefix: string, object: string) {
    this.own = {
      id: `${prefix}-${run.inferenceId}`,
      object,
      created: Math.floor(Date.now() / 1000),
      model: modelId,
      x_pioneer: { inference_id: inferenceId, ...notes },
    };
    this.add({});
  }

  /** Adds a same-style provider's details of the whole answer. */
  add(details: JsonObject): void {
    this.details = { ...this.details, ...details };
    this.fields = { ...this.details, ...this.own };
    this.json = JSON.stringify(this.fields).slice(0, -1);
  }
}
