import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { retentionQuery } from '../../api/queries.js';
import { Button } from '../../components/button.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Panel } from '../../components/page.js';
import { Editable } from '../../components/permitted.js';
import { Loaded, Problem } from '../../components/states.js';
import { toast } from '../../components/toast.js';
import { number } from '../../components/values.js';

const TITLES = {
  calls: 'Calls (days)',
  feedback: 'Corrections and notes (days)',
  job_logs: 'Logs of training jobs (days)',
  dataset_versions: 'Versions of datasets (days)',
  evaluations: 'Predictions of evaluations (days)',
  training_jobs: 'Training jobs with their models (days)',
} as const;
const KINDS = ['calls', 'feedback', 'job_logs', 'dataset_versions', 'evaluations', 'training_jobs'] as const;

/** After how many days contents are erased. */
export function Retention(): ReactElement {
  const retention = useQuery(retentionQuery);
  return (
    <Panel title="How long contents are kept">
      <Loaded query={retention} rows={3}>
        {(record) => <Days key={JSON.stringify(record)} record={record} />}
      </Loaded>
    </Panel>
  );
}

function Days({ record }: { readonly record: Schema['RetentionRecord'] }): ReactElement {
  const queries = useQueryClient();
  const kept = useKeptForm('retention');
  const set = useMutation({
    mutationFn: (days: Schema['RetentionBody']) => body(api.PUT('/account/retention', { body: days })),
    onSuccess: (changed) => {
      kept.forget();
      queries.setQueryData(retentionQuery.queryKey, changed);
      toast('Set how long contents are kept.');
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    set.mutate(Object.fromEntries(KINDS.map((kind) => [kind, daysOf(textOf(form, kind))])));
  };
  const daysNow = (kind: (typeof KINDS)[number]): number | null | undefined =>
    record.rules.find((rule) => rule.kind === kind)?.days;
  return (
    <form ref={kept.ref} onSubmit={submit} className="grid gap-3">
      <Editable sends="PUT /account/retention">
        <div className="flex flex-wrap items-start gap-3">
          {KINDS.map((kind) => (
            <Input
              key={kind}
              label={TITLES[kind]}
              name={kind}
              type="number"
              min={1}
              defaultValue={daysNow(kind) ?? ''}
              hint="Left empty, they are kept."
            />
          ))}
        </div>
      </Editable>
      <p className="text-sm text-muted">
        Calls and corrections are kept at least {number(record.floor_days)} days.
        {record.ceiling_days !== null &&
          ` The operator erases all contents after ${number(record.ceiling_days)} days.`}{' '}
        A training job whose model is in use stays. Once a day (UTC), what has expired is erased for good.
      </p>
      <Problem error={set.error} />
      <div>
        <Button kind="main" type="submit" sends="PUT /account/retention" disabled={set.isPending}>
          Set the days
        </Button>
      </div>
    </form>
  );
}

const daysOf = (text: string): number | null => (text === '' ? null : Number(text));
