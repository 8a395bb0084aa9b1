import { QueryBoolean, QueryNumber, QueryOneOf, QueryText, QueryTime } from '../../edge/validation/index.js';
import { VERDICTS } from '#domain/feedback/index.js';

export const INFERENCE_TASKS = [
  'extract_entities',
  'classify_text',
  'extract_json',
  'extract_relations',
  'schema',
  'generate',
  'embed',
] as const;

/** Filters of recorded calls: a call must meet every condition. */
export class InferenceFilters {
  @QueryText() model_id?: string;
  @QueryOneOf(INFERENCE_TASKS) task?: string;
  @QueryText() project_id?: string;
  @QueryText() training_job_id?: string;
  @QueryNumber({ min: 0 }, 'Milliseconds, inclusive.') latency_min?: number;
  @QueryNumber({ min: 0 }, 'Milliseconds, inclusive.') latency_max?: number;
  @QueryTime('Inclusive bound on `created_at`.') since?: string;
  @QueryTime('Inclusive bound on `created_at`.') until?: string;
  @QueryOneOf([...VERDICTS, 'none'], 'The verdict of the feedback; `none` for calls without one.')
  verdict?: string;
  @QueryBoolean('Whether the call has feedback.') has_feedback?: boolean;
  @QueryText('A label in the answer; matches the whole label exactly.') label?: string;
  @QueryNumber({ min: 0, max: 1 }, 'Inclusive bound on the lowest confidence in the answer.') confidence_min?: number;
  @QueryNumber({ min: 0, max: 1 }, 'Inclusive bound on the lowest confidence in the answer.') confidence_max?: number;
  @QueryOneOf(
    ['success', 'failed', 'ok', 'error'],
    'The recorded status; `ok` and `error` are aliases of `success` and `failed`.',
  )
  status?: string;
  @QueryText('Id of the API key that made the call.') key?: string;
  @QueryText('Id of the user who made the call.') user?: string;
  @QueryBoolean(
    'true: only shadow calls; false: no shadow calls. By default, lists and exports include them, and statistics do not.',
  )
  shadow?: boolean;
  @QueryText('Words that must all occur, as whole words, in the request, the answer or the feedback.') text?: string;
}
