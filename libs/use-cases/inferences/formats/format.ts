import type { JsonObject } from '#domain/json.js';

/** A call of another system, in the fields of a line of an import. */
export interface ReadCall {
  readonly line: JsonObject;
  /** The fields of the other system that no field of a line stands for. */
  readonly origin: JsonObject;
}

/** An export of another system. */
export interface Format {
  /** Whether a row looks like one of this export. */
  readonly is: (row: JsonObject) => boolean;
  /** @throws InvalidError for a row that is no call, or lacks what a call needs */
  readonly read: (row: JsonObject) => ReadCall;
}
