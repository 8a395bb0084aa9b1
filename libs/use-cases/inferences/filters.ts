import { forbidden, may, type Caller } from '#application/caller.js';
import { InvalidError } from '#domain/errors.js';
import { VERDICTS } from '#domain/feedback/index.js';
import type { FieldRange, Filter } from '#log/projector/documents.js';
import type { Scalar } from '#ports/read-store/port.js';
import { wordsOf } from '#ports/read-store/words.js';
import { labelIn } from '#projections/inferences/facts.js';
import { SHADOW, type InferenceDocument } from '#projections/inferences/projection.js';

/** Conditions on recorded calls, which all must hold. */
export interface InferenceFilters {
  readonly model_id?: string;
  readonly task?: string;
  readonly project_id?: string;
  readonly training_job_id?: string;
  /** Milliseconds, inclusive. */
  readonly latency_min?: number;
  readonly latency_max?: number;
  /** ISO 8601, inclusive. */
  readonly since?: string;
  readonly until?: string;
  /** `none`: calls without feedback. */
  readonly verdict?: string;
  readonly has_feedback?: boolean;
  readonly label?: string;
  /** Bounds on the lowest confidence in the answer, inclusive. */
  readonly confidence_min?: number;
  readonly confidence_max?: number;
  /** `success` or `failed`, or their aliases `ok` and `error`. */
  readonly status?: string;
  readonly key?: string;
  readonly user?: string;
  /** Absent: shadow calls and others. */
  readonly shadow?: boolean;
  /** Words that must all occur. */
  readonly text?: string;
}

/** @throws ForbiddenError for who may not see what calls say, and could find it out by searching */
export function requireSearchable(caller: Caller, { text, label }: Pick<InferenceFilters, 'text' | 'label'>): void {
  if (!may(caller, 'content') && (text ?? label) !== undefined) throw forbidden(caller, ['content']);
}

/** Conditions that calls of a workspace are looked through for. */
export function filterOf(query: InferenceFilters): Filter<InferenceDocument> {
  const { task, model_id: modelId, project_id: projectId, training_job_id: trainingJobId, label } = query;
  const { key: keyId, user: userId, status, verdict, has_feedback: hasFeedback, shadow } = query;
  const where = Object.fromEntries(
    Object.entries({
      ...{ modelId, projectId, trainingJobId, task, keyId, userId },
      ...{ status: status && (STATUS[status] ?? status), verdict: verdicts(verdict, hasFeedback) },
      role: shadow === undefined ? undefined : shadow ? SHADOW : null,
    }).filter(([, value]) => value !== undefined),
  );
  const ranges = [
    ...bounds('createdAt', query.since, query.until),
    ...bounds('latencyMs', query.latency_min, query.latency_max),
    ...bounds('confidence', query.confidence_min, query.confidence_max),
  ];
  const { text: words } = query;
  const labelled = label === undefined ? undefined : labelIn(label);
  if (words !== undefined) requireWords(words);
  return {
    // No call has an id of none.
    where: labelled === null ? { ...where, id: [] } : where,
    ranges,
    ...(words !== undefined && { words }),
    ...(labelled && { contains: [{ field: 'labels', text: labelled }] }),
  };
}

const MAX_WORDS = 20;

/** @throws InvalidError */
function requireWords(text: string): void {
  const count = wordsOf(text).length;
  if (count >= 1 && count <= MAX_WORDS) return;
  const message = `must have 1 to ${MAX_WORDS} words of letters or digits (got ${count})`;
  throw new InvalidError({ path: ['query', 'text'], message, type: 'out_of_range' });
}

const STATUS: Readonly<Record<string, string>> = { ok: 'success', error: 'failed' };

/** Values of the field `verdict` that both conditions allow; undefined if there is no condition. */
function verdicts(verdict: string | undefined, hasFeedback: boolean | undefined): readonly Scalar[] | undefined {
  if (verdict === undefined && hasFeedback === undefined) return undefined;
  const one = verdict === undefined ? [...VERDICTS, null] : [verdict === 'none' ? null : verdict];
  return one.filter((each) => hasFeedback === undefined || (each !== null) === hasFeedback);
}

const bounds = (
  field: 'createdAt' | 'latencyMs' | 'confidence',
  from?: Scalar,
  to?: Scalar,
): readonly FieldRange<InferenceDocument>[] =>
  from === undefined && to === undefined
    ? []
    : [{ field, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }];
