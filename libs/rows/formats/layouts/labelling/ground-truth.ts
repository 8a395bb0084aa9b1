import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import type { GivenSpan, Layout, RowContext } from '../layout.js';

const METADATA = '-metadata';

/**
 * Augmented manifests of SageMaker Ground Truth, which Amazon Comprehend reads too: a text under `source`, what a labelling job
 * answered under its name, and what it says of that under its name and `-metadata`.
 * @see https://docs.aws.amazon.com/sagemaker/latest/dg/sms-data-output.html
 */
export const groundTruth: Layout = {
  name: 'ground-truth',
  title: 'an augmented manifest of Ground Truth',
  unit: 'rows',
  toolKeys: /^/,
  offsets: 'code points',
  needs: [
    { what: 'a text under "source"', holds: ({ source }) => typeof source === 'string' },
    { what: 'the answer of a labelling job, and its "...-metadata"', holds: (row) => jobsOf(row).length > 0 },
  ],
  read(row, context) {
    const { source: text } = row;
    const jobs = jobsOf(row);
    const [job] = jobs;
    if (typeof text !== 'string' || job === undefined || jobs.length > 1) {
      const reason =
        jobs.length > 1 ? `has the answers of several jobs (${jobs.join(', ')}): leave out all but one` : MISSING;
      context.refuse('', reason);
      return [];
    }
    const answer = row[job]!;
    const metadata = row[job + METADATA] as JsonObject;
    const entities = entitiesIn(answer);
    if (entities !== null) return [{ text, entities: context.entities(text, spansOf(entities, job, context)) }];
    const classes = classesOf(metadata);
    if (classes === null) {
      context.refuse(job, 'must hold annotations with entities, or its metadata a class-name or class-map');
      return [];
    }
    return [{ text, ...context.classes(job, classes) }];
  },
};

const MISSING =
  'must have a text under "source" and the answer of a labelling job with its metadata, as the rows before it';

const jobsOf = (row: JsonObject): readonly string[] =>
  Object.keys(row).filter((key) => row[key] !== undefined && isObject(row[key + METADATA]));

function entitiesIn(answer: Json): readonly Json[] | null {
  const annotations = isObject(answer) ? answer.annotations : undefined;
  const entities = isObject(annotations) ? annotations.entities : undefined;
  return Array.isArray(entities) ? (entities as readonly Json[]) : null;
}

function classesOf({ 'class-name': one, 'class-map': several }: JsonObject): readonly string[] | null {
  const names = typeof one === 'string' ? [one] : isObject(several) ? Object.values(several) : [null];
  return names.every((name) => typeof name === 'string') ? names : null;
}

function spansOf(entities: readonly Json[], job: string, context: RowContext): readonly GivenSpan[] {
  return entities.flatMap((entity, index) => {
    const { startOffset: start, endOffset: end, label } = isObject(entity) ? entity : ({} as JsonObject);
    const at = `${job}.annotations.entities[${index}]`;
    if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && typeof label === 'string')
      return [{ start: start as number, end: end as number, label, at }];
    context.refuse(at, 'must have startOffset, endOffset and label');
    return [];
  });
}
