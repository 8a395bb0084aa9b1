import type { Json, JsonObject } from '#domain/json.js';
import { solid } from '../../rows/alike.js';
import { isObject } from '../../rows/kinds.js';
import type { GivenSpan, Layout, RowContext } from '../layout.js';
import { relationsOf, textsOf } from '../parts/relations.js';

/**
 * Tasks as Label Studio exports them as JSON: `data`, and for each annotator an annotation with results.
 * @see https://labelstud.io/guide/task_format
 */
export const labelStudio: Layout = {
  name: 'label-studio',
  title: 'Label Studio JSON',
  unit: 'tasks',
  toolKeys:
    /^(?:annotations|completions|predictions|data|drafts|project|inner_id|file_upload|state|overlap|is_labeled|allow_skip|.*_at|.*_by|.*_count|.*_authors|.*_predictions|.*_annotations|.*agreement.*|.*reviewers?|.*lead_time.*|annotators?.*|review.*)$/,
  // Label Studio's editor runs in browsers.
  offsets: 'UTF-16',
  needs: [
    { what: '"data" with the fields of the task', holds: ({ data }) => isObject(data) },
    { what: '"annotations" with a list of results each', holds: (row) => annotationsOf(row) !== null },
  ],
  read(row, context) {
    const annotations = annotationsOf(row);
    if (annotations === null || !isObject(row.data)) {
      context.refuse('', 'must be a task with "data" and "annotations", as the rows before it');
      return [];
    }
    const results = chosenResults(annotations, context);
    if (results === null) return [];
    const key = textKey(row.data, results, context);
    if (key === null) return [];
    const { [key]: _, ...others } = row.data;
    context.see(others);
    const heads = headsOf(row.data[key] as string, results, context);
    if (heads === null) return [];
    return [{ text: row.data[key]!, ...heads, ...(row.id !== undefined && { id: row.id }) }];
  },
};

/** `completions` until version 1.0. */
function annotationsOf({ annotations, completions }: JsonObject): readonly JsonObject[] | null {
  const list = annotations ?? completions;
  return Array.isArray(list) && (list as readonly Json[]).every((each) => isObject(each) && Array.isArray(each.result))
    ? (list as readonly JsonObject[])
    : null;
}

/** The annotation marked as ground truth, else the newest. */
function chosenResults(annotations: readonly JsonObject[], context: RowContext): readonly JsonObject[] | null {
  const kept = annotations.filter(({ was_cancelled, skipped }) => was_cancelled !== true && skipped !== true);
  if (kept.length === 0) {
    context.leaveUnlabelled(annotations.length === 0 ? 'without annotations' : 'skipped');
    return null;
  }
  if (kept.length > 1) context.tell('with several annotations, of which one was taken');
  const newest = kept.reduce((best, each) => (timeOf(each) >= timeOf(best) ? each : best));
  const { result } = kept.find(({ ground_truth }) => ground_truth === true) ?? newest;
  return (result as readonly Json[]).filter(isObject);
}

const timeOf = ({ updated_at, created_at }: JsonObject): string =>
  typeof updated_at === 'string' ? updated_at : typeof created_at === 'string' ? created_at : '';

/** The field of the task that was annotated: results name a tag of the labelling setup, which is not exported. */
function textKey(data: JsonObject, results: readonly JsonObject[], context: RowContext): string | null {
  const texts = Object.keys(data).filter((key) => typeof data[key] === 'string');
  const first = (keys: readonly (string | undefined)[]) =>
    keys.find((key) => key !== undefined && texts.includes(key)) ?? null;
  const quoted = results.flatMap(({ value }) =>
    isObject(value) && typeof value.text === 'string' ? [value.text] : [],
  );
  const holding = texts.filter((key) => quoted.every((each) => solid(data[key] as string).includes(solid(each))));
  const targets = new Set(results.map(({ to_name }) => to_name));
  const key =
    texts.length === 1
      ? texts[0]!
      : (first(['text', ...[...targets].filter((name) => typeof name === 'string')]) ??
        (quoted.length > 0 && holding.length === 1 ? holding[0]! : null));
  if (key === null)
    context.refuse(
      'data',
      texts.length === 0 ? 'has no text' : `has several texts (${texts.slice(0, 5).join(', ')}), none called text`,
    );
  return key;
}

function headsOf(text: string, results: readonly JsonObject[], context: RowContext): JsonObject | null {
  const spans: GivenSpan[] = [];
  const ids = new Map<Json, GivenSpan>();
  const classes = new Map<string, readonly string[]>();
  let isWhole = true;
  for (const [index, { id, type, value, from_name }] of results.entries()) {
    const at = `annotations.result[${index}]`;
    if (type === 'relation') continue;
    if (!isObject(value) || typeof type !== 'string') continue;
    const labels = value[type];
    if (type === 'choices' && value.start === undefined && Array.isArray(labels))
      classes.set(typeof from_name === 'string' ? from_name : 'choices', labels.filter(isText));
    else if (SPAN_TYPES.includes(type) && Array.isArray(labels)) {
      const { start, end } = isObject(value.globalOffsets) ? value.globalOffsets : value;
      if (typeof start !== 'number' || typeof end !== 'number') {
        context.refuse(at, `is a ${type} result without offsets in the text`);
        isWhole = false;
      } else if (labels.length === 0) context.tell('spans without a label left out');
      for (const label of labels.filter(isText)) {
        const quoted = typeof value.text === 'string' ? { text: value.text } : {};
        const span = { start: start as number, end: end as number, label, at, ...quoted };
        spans.push(span);
        if (id !== undefined) ids.set(id, span);
      }
    } else context.tellAnswer(`results of type ${KNOWN_TYPES.includes(type) ? type : 'another kind'} left out`);
  }
  if (!isWhole) return null;
  const found = context.placed(text, spans);
  const entities = found.filter((entity) => entity !== null);
  const placed = textsOf(spans, found, ids);
  const relations = relationsOf(results.filter(({ type }) => type === 'relation').flatMap(directed), placed, context);
  const isSpanTask = spans.length > 0 || (classes.size === 0 && !context.areEmptyUnlabelled);
  if (!isSpanTask && classes.size === 0) {
    context.leaveUnlabelled('annotated with nothing');
    return null;
  }
  return {
    ...(isSpanTask && { entities }),
    ...Object.assign({}, ...[...classes].map(([task, labels]) => context.classes(task, labels))),
    ...(relations.length > 0 && { relations }),
  } as JsonObject;
}

const SPAN_TYPES = ['labels', 'hypertextlabels'];
const KNOWN_TYPES = [
  ...['choices', 'textarea', 'rating', 'number', 'datetime', 'taxonomy', 'pairwise', 'ranker', 'paragraphlabels'],
  ...['rectanglelabels', 'polygonlabels', 'keypointlabels', 'ellipselabels', 'brushlabels', 'timeserieslabels'],
];

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

function directed({ from_id, to_id, direction, labels }: JsonObject) {
  const name = Array.isArray(labels) ? (labels as readonly Json[])[0] : undefined;
  const relation = { from: from_id, to: to_id, name };
  const reverse = { from: to_id, to: from_id, name };
  if (direction === 'left') return [reverse];
  return direction === 'bi' ? [relation, reverse] : [relation];
}
