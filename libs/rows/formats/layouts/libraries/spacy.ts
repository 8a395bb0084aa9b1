import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import type { Layout, RowContext } from '../layout.js';
import { entitiesOf, entriesOf, isCopiedEntry, isSpanEntry } from '../parts/span-entries.js';

/**
 * What `doc.to_json()` of spaCy and displaCy write (`{"text", "ents"}`), and its training data as JSON: `["text", {"entities": [[start, end, label]], "cats": {...}}]`, which arrives here as a row with
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
      if (annotations !== row) context.see(unreadOf(annotations));
      const heads = headsOf(text, annotations, context);
      return heads === null ? [] : [{ text, ...heads }];
    });
  },
};

const unreadOf = ({ entities: _, ents: __, spans: ___, cats: ____, ...unread }: JsonObject): JsonObject => unread;

type Example = readonly [string, JsonObject];

function examplesOf(row: JsonObject): readonly Example[] | null {
  const { text, annotations, cats, ents } = row;
  if (typeof text === 'string') {
    const given = isObject(annotations) ? annotations : isObject(cats) || entriesOf(ents) !== null ? row : null;
    return given !== null && isAnnotated(given) ? [[text, given]] : null;
  }
  if (!Array.isArray(annotations)) return null;
  const pairs = (annotations as readonly Json[]).filter((pair) => pair !== null);
  return pairs.length > 0 && pairs.every(isPair) ? (pairs as unknown as readonly Example[]) : null;
}

const isPair = (pair: Json): boolean =>
  Array.isArray(pair) && typeof pair[0] === 'string' && isObject(pair[1] as Json) && isAnnotated(pair[1] as JsonObject);

const isAnnotated = ({ entities, ents, cats, spans }: JsonObject): boolean =>
  (entriesOf(entities ?? ents) ?? [null]).every(
    (entry) => entry !== null && (isSpanEntry(entry) || isCopiedEntry(entry)),
  ) ||
  isObject(cats) ||
  Array.isArray(spans);

function headsOf(text: string, annotations: JsonObject, context: RowContext): JsonObject | null {
  const { cats } = annotations;
  const list = spansIn(annotations, context);
  const entities = list === null ? null : entitiesOf(text, list, 'entities', context);
  if (list !== null && entities === null) return null;
  return {
    ...(entities !== null && { entities }),
    ...(isObject(cats) &&
      context.classes(
        'cats',
        Object.keys(cats).filter((label) => Number(cats[label]) >= 0.5),
      )),
  };
}

/** Entities, or else the groups of spans that a document has by their names. */
function spansIn({ entities, ents, spans }: JsonObject, context: RowContext): readonly Json[] | null {
  const list = entriesOf(entities ?? ents);
  if (!isObject(spans)) return list ?? entriesOf(spans);
  const grouped = Object.values(spans).flatMap((group) => entriesOf(group) ?? []);
  if (list === null || list.length === 0) return grouped;
  if (grouped.length > 0) context.tell('spans of groups left out beside entities', grouped.length);
  return list;
}
