import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Problem } from '../../components/states.js';
import { toast } from '../../components/toast.js';
import { distillationsQuery } from './distillations.js';

type Model = Schema['NamedModelRecord'];
type Distillation = Schema['DistillationRecord'];

/** The distillation that made the version in use of a name with a teacher; undefined: none did, or it is not known yet. */
export function useDistilledBy({ name, version, policy }: Model): Distillation | undefined {
  const found = useQuery({ ...distillationsQuery(name), enabled: Boolean(policy?.cascade) });
  return found.data?.distillations.find((each) => each.version !== null && each.version === version);
}

/** Distils once more as the version in use was, from the calls and the corrections that there are now. */
export function DistilAgain({
  last,
  cascade,
}: {
  readonly last: Distillation;
  readonly cascade: NonNullable<Schema['PolicyRecord']['cascade']>;
}): ReactElement {
  const queries = useQueryClient();
  const { model: name, task, unmapped, heads, base_model, prompt_versions, project_id, since } = last;
  const from = { model: last.from_model, project_id, since };
  const { to: teacher, target_agreement, audit_share } = cascade;
  const begin = useMutation({
    mutationFn: () =>
      body(
        api.POST('/models/{name}/distil', {
          params: { path: { name } },
          body: { teacher, target_agreement, audit_share, task, unmapped, heads, base_model, prompt_versions, from },
        }),
      ),
    onSuccess: () => toast(`Began to distil ${name} again.`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['distillations', name] }),
  });
  return (
    <>
      <Button sends="POST /models/{name}/distil" disabled={begin.isPending} onClick={() => begin.mutate()}>
        Distil again
      </Button>
      <Problem error={begin.error} />
    </>
  );
}
