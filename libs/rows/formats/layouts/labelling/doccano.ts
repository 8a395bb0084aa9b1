import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import type { Layout, RowContext } from '../layout.js';
import { relationsOf, textsOf } from '../parts/relations.js';
import { isSpanEntry, spansOf } from '../parts/span-entries.js';

/**
 * Examples as doccano exports them as JSONL: `label` holds spans or classes; with relations, `entities` and `relations` have ids.
 * @see https://doccano.github.io/doccano
 */
export const doccano: Layout = {
  name: 'doccano',
  title: 'doccano JSONL',
  unit: 'examples',
  offsets: 'code points',
  needs: [
    { what: 'a text', holds: (row) => textOf(row) !== null },
    {
      what: '"id" and "label" with a list of classes or of [start, end, label], or "entities" with start_offset and "relations" with from_id',
      holds: (row) => (row.id !== undefined && (hasLabels(row) || hasEntities(row))) || hasRelations(row),
    },
  ],
  read(row, context) {
    const text = textOf(row);
    const { id, text: _, data: __, label, labels, entities, relations, cats, Comments: ___, ...others } = row;
    if (text === null) {
      context.refuse('text', 'is missing');
      return [];
    }
    const list = label ?? labels ?? entities;
    if (!Array.isArray(list)) {
      context.refuse('label', 'must be a list, as in the rows before it');
      return [];
    }
    const heads = headsOf(text, list as readonly Json[], Array.isArray(relations) ? relations : null, context);
    if (heads === null) return [];
    const classes = Array.isArray(cats) ? context.classes('cats', (cats as readonly Json[]).filter(isText)) : {};
    if (Object.keys({ ...heads, ...classes }).length === 0) {
      context.leaveUnlabelled(Array.isArray(cats) ? 'without spans or a class' : 'without a class');
      return [];
    }
    return [{ text, ...heads, ...classes, ...(id !== undefined && { id }), ...others }];
  },
};

/** Intents beside slots are `cats`. */
const isText = (value: Json): value is string => typeof value === 'string';

/** `data` in releases before 1.5. */
const textOf = ({ text, data }: JsonObject): string | null => {
  const value = text ?? data;
  return typeof value === 'string' ? value : null;
};

const hasLabels = ({ label }: JsonObject): boolean =>
  Array.isArray(label) && (label as readonly Json[]).every((each) => typeof each === 'string' || isTriple(each));

const hasEntities = ({ entities }: JsonObject): boolean =>
  Array.isArray(entities) &&
  entities.length > 0 &&
  (entities as readonly Json[]).every((each) => isObject(each) && 'start_offset' in each);

/** Enough without an id of the row, which scripts leave out. */
const hasRelations = (row: JsonObject): boolean =>
  hasEntities(row) &&
  Array.isArray(row.relations) &&
  (row.relations as readonly Json[]).every((each) => isObject(each) && 'from_id' in each);

const isTriple = (entry: Json): boolean => Array.isArray(entry) && entry.length === 3 && isSpanEntry(entry);

function headsOf(
  text: string,
  list: readonly Json[],
  relations: readonly Json[] | null,
  context: RowContext,
): JsonObject | null {
  if (list.length > 0 && list.every((each) => typeof each === 'string')) return context.classes('label', list);
  if (list.length === 0 && context.areEmptyUnlabelled) return {};
  const spans = spansOf(list, 'label', context);
  if (spans === null) return null;
  const found = context.placed(text, spans);
  const entities = found.filter((entity) => entity !== null);
  if (relations === null) return { entities };
  const spanOf = new Map(spans.map((span) => [span.at, span]));
  const ids = list.flatMap((each, index) => {
    const span = spanOf.get(`label[${index}]`);
    return isObject(each) && each.id !== undefined && span ? [[each.id, span] as const] : [];
  });
  const given = relations
    .filter(isObject)
    .map(({ from_id, to_id, type }) => ({ from: from_id, to: to_id, name: type }));
  return { entities, relations: relationsOf(given, textsOf(spans, found, new Map(ids)), context) };
}
