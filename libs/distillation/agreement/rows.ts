import type { Json, JsonObject } from '#domain/json.js';
import { agree } from '../mapping/agreement.js';
import type { AnswerMapping } from '../mapping/mapping.js';
import { writeAnswer } from '../mapping/write.js';

/** In whatever year: both rows are written as of one. */
const AT = '2026-01-01T00:00:00Z';

/**
 * Whether two rows of an evaluation are one answer once they are written, as live answers are compared: a value that stands in a text twice,
 * as "8" and "eight", may be learned at either place.
 */
export const areOneAnswer = (mapping: AnswerMapping, expected: JsonObject, predicted: JsonObject): boolean =>
  agree(mapping, writeAnswer(mapping, asRow(predicted), AT), writeAnswer(mapping, asRow(expected), AT));

/** Evaluations have entities with their places. */
const asRow = (row: JsonObject): JsonObject => ({
  ...row,
  ...(row.entities !== undefined && {
    entities: (row.entities as readonly { readonly text: Json; readonly label: Json }[]).map((each) => [
      each.text,
      each.label,
    ]),
  }),
});
