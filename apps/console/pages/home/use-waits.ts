import { useQuery } from '@tanstack/react-query';
import { api, body, type Schema } from '../../api/client.js';
import { useMay } from '../../api/permitted.js';
import { modelNames, newestDatasets } from '../../api/queries.js';
import { counted } from '../../components/values.js';
import { gatesThatWait } from './gates.js';

/** Improvements that are looked at. */
const LOOKED_AT = 50;
/** Answers asked of the review queue, which come whole; a full page reads "10 or more". */
const REVIEWED = 10;

/** Something that waits for a person. */
export interface Wait {
  readonly key: string;
  readonly kind: 'new' | 'review' | 'failed';
  readonly title: string;
  readonly note: string;
  readonly href: string;
  /** Verb and object, on the button that leads there. */
  readonly act: string;
}

export interface Waits {
  readonly waits: readonly Wait[];
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** Work that waits for a person, the most urgent first: gates, uncertain answers, failed jobs and uploads. */
export function useWaits(jobs: readonly Schema['TrainingJobRecord'][]): Waits {
  const mayJudge = useMay()('POST /inferences/{id}/feedback');
  const queue = useQuery({
    queryKey: ['review', 'home'],
    queryFn: () => body(api.GET('/review', { params: { query: { strategy: 'uncertain', limit: REVIEWED } } })),
    enabled: mayJudge,
  });
  const datasets = useQuery(newestDatasets);
  const gates = useQuery({
    queryKey: ['improvements', 'home'],
    queryFn: () => body(api.GET('/improvements', { params: { query: { status: 'done', limit: LOOKED_AT } } })),
  });
  const models = useQuery(modelNames);
  const queries = [queue, datasets, gates, models];
  const uncertain = queue.data?.items.length ?? 0;
  const waits: readonly Wait[] = [
    ...gatesThatWait(gates.data?.improvements ?? [], models.data?.models ?? []).map(gateOf),
    ...(uncertain === 0 ? [] : [reviewOf(uncertain)]),
    ...jobs.filter(({ status }) => status === 'failed').map(jobOf),
    ...(datasets.data?.datasets ?? []).filter(({ status }) => status === 'failed').map(uploadOf),
  ];
  return {
    waits,
    isPending: queries.some((query) => query.isLoading),
    error: queries.find(({ error }) => error)?.error ?? null,
    retry: () => queries.forEach((query) => query.error && void query.refetch()),
  };
}

const gateOf = ({ id, model, outcome, version }: Schema['ImprovementRecord']): Wait => ({
  key: id,
  kind: outcome === 'candidate' ? 'new' : 'failed',
  title: outcome === 'candidate' ? `${model}, version ${version}` : model,
  note:
    outcome === 'candidate'
      ? 'passed the gate, and is not in use yet'
      : 'the gate refused what was learned from corrections',
  href: `/console/models/${encodeURIComponent(model)}`,
  act: outcome === 'candidate' ? `See version ${version}` : `See ${model}`,
});

const reviewOf = (uncertain: number): Wait => ({
  key: 'review',
  kind: 'review',
  title: `${uncertain < REVIEWED ? counted(uncertain, 'uncertain answer') : `${REVIEWED} or more uncertain answers`}`,
  note: uncertain === 1 ? 'is ready to review' : 'are ready to review',
  href: '/console/review',
  act: 'Review answers',
});

const jobOf = ({ id, model_name }: Schema['TrainingJobRecord']): Wait => ({
  key: id,
  kind: 'failed',
  title: model_name,
  note: 'failed to train',
  href: `/console/training/${id}`,
  act: 'See why',
});

const uploadOf = ({ id, name, version_number }: Schema['DatasetVersionRecord']): Wait => ({
  key: id,
  kind: 'failed',
  title: name,
  note: 'could not be read',
  href: `/console/datasets/${encodeURIComponent(name)}/${version_number}`,
  act: 'See why',
});
