import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement, type ReactNode } from 'react';
import { api, ApiError, body } from '../../../api/client.js';
import { useMay } from '../../../api/permitted.js';
import { Refused } from '../../../components/blank.js';
import { Button } from '../../../components/button.js';
import { useKeptForm } from '../../../components/kept-form.js';
import { Panel } from '../../../components/page.js';
import { Editable } from '../../../components/permitted.js';
import { Loading, Problem } from '../../../components/states.js';
import { toast } from '../../../components/toast.js';
import { distillationsQuery } from '../../distillation/distillations.js';
import { teachersQuery } from '../../distillation/teacher-field.js';
import { Cascade } from './cascade.js';
import { policyIn, type Policy } from './numbers.js';
import { Gate, Outcome, Triggers, Watch } from './rules.js';

interface Props {
  readonly name: string;
  /** null: none was set, and the defaults hold. */
  readonly policy: Policy | null;
}

/** When a name is improved, the gate's criteria, the fate of the result, and who answers: sentences with fields in them. */
export function PolicyPanel({ name, policy }: Props): ReactElement {
  const may = useMay();
  const distillations = useQuery({
    ...distillationsQuery(name),
    refetchInterval: false,
    enabled: may('GET /models/{name}/distillations'),
  });
  const isDistilled = distillations.data?.distillations.some(({ version }) => version !== null) ?? false;
  const hasCascade = isDistilled || Boolean(policy?.cascade);
  const teachers = useQuery({ ...teachersQuery, enabled: hasCascade && may('GET /base-models') });
  return (
    <Panel title="Policy">
      {distillations.isLoading || teachers.isLoading ? (
        <Loading rows={10} />
      ) : (
        <PolicyForm name={name} policy={policy}>
          {hasCascade && <Cascade cascade={policy?.cascade ?? null} teachers={teachers.data} />}
        </PolicyForm>
      )}
    </Panel>
  );
}

function PolicyForm({ name, policy, children }: Props & { readonly children: ReactNode }): ReactElement {
  const queries = useQueryClient();
  const kept = useKeptForm(`policy of ${name}`);
  // A refusal of a field stands at the field.
  const [isAtField, setAtField] = useState(false);
  const save = useMutation({
    mutationFn: (form: FormData) =>
      body(
        api.PUT('/models/{name}/policy', { params: { path: { name } }, body: policyIn(form, policy?.cascade ?? null) }),
      ),
    onSuccess: () => {
      kept.forget();
      toast(`Saved the policy of ${name}.`);
      return queries.invalidateQueries({ queryKey: ['models', name] });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const { elements } = event.currentTarget;
    save.mutate(new FormData(event.currentTarget), {
      onError: (error) => {
        const field = elements.namedItem((error instanceof ApiError && error.field?.path) || '');
        setAtField(field !== null);
        if (!(field instanceof HTMLElement)) return;
        field.closest('details')?.setAttribute('open', '');
        field.focus();
      },
    });
  };
  return (
    <form ref={kept.ref} onSubmit={submit} className="grid gap-4">
      <Refused value={save.error}>
        <Editable sends="PUT /models/{name}/policy">
          {policy === null && <p className="text-sm text-muted">None was set: these defaults hold.</p>}
          <div className="rules-of">
            <Outcome policy={policy} />
            <Gate policy={policy} />
            <Triggers policy={policy} />
            <Watch policy={policy} />
            {children}
          </div>
        </Editable>
      </Refused>
      <Problem error={isAtField ? null : save.error} />
      <div>
        <Button type="submit" sends="PUT /models/{name}/policy" disabled={save.isPending}>
          Save the policy
        </Button>
      </div>
    </form>
  );
}
