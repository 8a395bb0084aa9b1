import { QueryBoolean, QueryNumber, QueryOneOf, QueryText, QueryTime } from '../validation/index.js';

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
  @QueryTime('Inclusive bound on created_at.') since?: string;
  @QueryTime('Inclusive bound on created_at.') until?: string;
  @QueryOneOf(['correct', 'incorrect', 'unsure', 'none'], 'The verdict of the feedback; `none` for calls without one.')
  verdict?: string;
  @QueryBoolean('Whether feedback was given.') has_feedback?: boolean;
  @QueryText('A label that the answer gives, whole and as it is written.') label?: string;
  @QueryNumber({ min: 0, max: 1 }, 'Inclusive bound on the lowest confidence in the answer.') confidence_min?: number;
  @QueryNumber({ min: 0, max: 1 }, 'Inclusive bound on the lowest confidence in the answer.') confidence_max?: number;
  @QueryOneOf(['success', 'failed', 'ok', 'error'], 'As recorded; `ok` and `error` mean `success` and `failed`.')
  status?: string;
  @QueryText('The id of the API key that was used.') key?: string;
  @QueryText('The id of the user who called.') user?: string;
  @QueryBoolean('Only shadow calls, or none of them. Lists and exports have both by default, counts have none.')
  shadow?: boolean;
  @QueryText('Words that the request, the answer or the feedback has, all of them, whole.') text?: string;
}
