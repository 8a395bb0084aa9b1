import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { percent } from '../../components/values.js';
import type { Call } from './use-calls.js';

type Cascade = NonNullable<Call['cascade']>;

const REASONS: Readonly<Record<Cascade['reason'], string>> = {
  sure: 'it was sure enough',
  teacher_failed: 'the teacher failed',
  unsure: 'the small model was not sure enough',
  unlike: 'the text is unlike those that the small model learned',
  other_prompt: 'the prompt is not the one that the small model learned',
  student_failed: 'the small model failed',
  watching: 'the first calls are compared',
  returned: 'audits spoke against the small model, so the teacher answers all calls again',
  audit: 'this call was audited',
};

const UNLIKE: Readonly<Record<NonNullable<Cascade['unlike']>, string>> = {
  script: 'by its script',
  length: 'by its length',
  nearness: 'by its topic',
  several: 'with several requests in one',
};

/** Which model of a cascade answered a call, how certain the small one was beside its threshold, and why. */
export function AnsweredBy({ cascade }: { readonly cascade: Cascade }): ReactElement {
  const { distillation_id: id, by, reason, certainty, unlike, agrees } = cascade;
  const distillation = useQuery({
    queryKey: ['distillations', id],
    queryFn: () => body(api.GET('/distillations/{id}', { params: { path: { id } } })),
    meta: { late: true },
  });
  const threshold = distillation.data?.cascade?.threshold;
  return (
    <>
      <b>{by === 'student' ? 'The small model' : 'The teacher'}</b>: {REASONS[reason]}
      {unlike && `, ${UNLIKE[unlike]}`}.
      {certainty !== undefined && ` The small model was ${percent(certainty)} certain`}
      {certainty !== undefined && typeof threshold === 'number' && `; it now answers from ${percent(threshold)} on`}
      {certainty !== undefined && '.'}
      {agrees !== undefined && ` Both gave ${agrees ? 'one answer' : 'different answers'}.`}
    </>
  );
}
