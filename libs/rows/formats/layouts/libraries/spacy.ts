import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import type { Layout, RowContext } from '../layout.js';
import { isSpanEntry, spansOf } from '../parts/span-entries.js';

/**
 * Training data of spaCy as JSON: `["text", {"entities": [[start, end, label]], "cats": {...}}]`, which arrives here as a row with
 * `annotations`; or a whole file of such pairs under `annotations`, as annotators in the browser save it.
 * @see https://spacy.io/api/data-formats
 */
export const spacy: Layout = {
  name: 'spacy',
  title: 'spaCy JSON',
  unit: 'texts',
  offsets: 'code points',
  needs: [
    {
      what: '["text", {"entities": [[start, end, label]]}], or {"text", "cats": {label: 0 or 1}}',
      holds: (row) => examplesOf(row) !== null,
    },
  ],
  read(row, context) {
    const examples = examplesOf(row);
    if (examples === null) {
      context.refuse('', 'must be ["text", {"entities": [[start, end, label]]}], as the rows before it');
      return [];
    }
    return examples.flatMap(([text, annotations]) => {
      const heads = headsOf(text, annotations, context);
      return heads === null ? [] : [{ text, ...heads }];
    });
  },
};

type Example = readonly [string, JsonObject];

function examplesOf(row: JsonObject): readonly Example[] | null {
  const { text, annotations, cats } = row;
  if (typeof text === 'string') {
    const given = isObject(annotations) ? annotations : isObject(cats) ? row : null;
    return given !== null && isAnnotated(given) ? [[text, given]] : null;
  }
  if (!Array.isArray(annotations)) return null;
  const pairs = (annotations as readonly Json[]).filter((pair) => pair !== null);
  return pairs.length > 0 && pairs.every(isPair) ? (pairs as unknown as readonly Example[]) : null;
}

const isPair = (pair: Json): boolean =>
  Array.isArray(pair) && typeof pair[0] === 'string' && isObject(pair[1] as Json) && isAnnotated(pair[1] as JsonObject);

const isAnnotated = ({ entities, cats, spans }: JsonObject): boolean =>
  (Array.isArray(entities) && (entities as readonly Json[]).every(isSpanEntry)) ||
  isObject(cats) ||
  Array.isArray(spans);

function headsOf(text: string, { entities, spans: named, cats }: JsonObject, context: RowContext): JsonObject | null {
  const list = entities ?? named;
  const spans = Array.isArray(list) ? spansOf(list as readonly Json[], 'entities', context) : null;
  if (Array.isArray(list) && spans === null) return null;
  return {
    ...(spans !== null && { entities: context.entities(text, spans) }),
    ...(isObject(cats) &&
      context.classes(
        'cats',
        Object.keys(cats).filter((label) => Number(cats[label]) >= 0.5),
      )),
  };
}
