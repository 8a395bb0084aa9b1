import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Input, Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Panel } from '../../components/page.js';
import { Editable } from '../../components/permitted.js';
import { toast } from '../../components/toast.js';
import { Problem } from '../../components/states.js';

type Policy = Schema['PolicyRecord'];

interface Setting {
  readonly name: Exclude<keyof Policy, 'cascade'>;
  readonly label: string;
  readonly min?: number;
  readonly max?: number;
  readonly hint?: string;
  /** The default that holds while no policy is set, and with which the form begins. Absent: nothing is asked for. */
  readonly initial?: number;
}

/** Numbers of the policy, under the question that they answer. */
const PARTS: readonly (readonly [string, readonly Setting[]])[] = [
  [
    'When it improves by itself',
    [
      {
        name: 'improve_after_corrections',
        label: 'After corrections',
        min: 1,
        hint: 'number of new ones; empty: never',
      },
      { name: 'weekly_hour', label: 'Weekly at (hour, UTC)', min: 0, max: 23 },
      { name: 'max_runs', label: 'Improvements at most', min: 1, max: 1_000 },
      { name: 'max_runs_days', label: 'Within (days)', min: 1, max: 366 },
    ],
  ],
  [
    'What the gate asks for',
    [
      { name: 'max_f1_drop', label: 'F1 may fall by', min: 0, max: 1, hint: '0.01 is one point', initial: 0.01 },
      {
        name: 'max_label_drop',
        label: 'F1 of a label may fall by',
        min: 0,
        max: 1,
        hint: 'empty: not judged',
        initial: 0.1,
      },
      { name: 'min_label_rows', label: 'Rows of a judged label', min: 1, initial: 10 },
      { name: 'min_rows', label: 'Regression rows needed', min: 1, initial: 10 },
      { name: 'min_corrections', label: 'Corrections held out', min: 0, initial: 0 },
      { name: 'max_latency_ms', label: 'Median latency (ms)', min: 0 },
      { name: 'max_size_bytes', label: 'Model size (bytes)', min: 1 },
    ],
  ],
  [
    'When the version before comes back',
    [
      { name: 'rollback_max_error_rate', label: 'Share of failed calls', min: 0, max: 1, hint: 'empty: never' },
      { name: 'rollback_max_disagreement', label: 'Share corrected', min: 0, max: 1, hint: 'empty: never' },
      { name: 'rollback_window_hours', label: 'Within (hours)', min: 1, max: 8_760 },
      { name: 'rollback_min_calls', label: 'Calls at least', min: 1 },
      { name: 'drift_psi', label: 'Tell of drift from', min: 0, max: 100, hint: 'index, such as 0.25' },
    ],
  ],
];
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

interface Props {
  readonly name: string;
  /** null: none was set, and the defaults hold. */
  readonly policy: Policy | null;
}

/** When a name is improved, the gate's criteria, and the fate of the result. */
export function PolicyForm({ name, policy }: Props): ReactElement {
  const queries = useQueryClient();
  const kept = useKeptForm(`policy of ${name}`);
  const save = useMutation({
    mutationFn: (form: FormData) =>
      body(api.PUT('/models/{name}/policy', { params: { path: { name } }, body: bodyOf(policy, form) })),
    onSuccess: () => {
      kept.forget();
      toast(`Saved the policy of ${name}.`);
      return queries.invalidateQueries({ queryKey: ['models', name] });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    save.mutate(new FormData(event.currentTarget));
  };
  return (
    <Panel title="Policy">
      <form ref={kept.ref} onSubmit={submit} className="grid gap-4">
        <Editable sends="PUT /models/{name}/policy">
          {policy === null && <p className="text-sm text-muted">None was set: these defaults hold.</p>}
          <div className="grid gap-3 sm:grid-cols-3">
            <Select label="A version that passes" name="on_pass" defaultValue={policy?.on_pass}>
              <option value="candidate">waits as the candidate</option>
              <option value="promote">is put in use</option>
            </Select>
            <Select label="Evidence" name="evidence" defaultValue={policy?.evidence}>
              <option value="worse">refuse what is shown to be worse</option>
              <option value="not_worse">take only what is shown not to be worse</option>
            </Select>
            <Select label="Every week on" name="weekly_on" defaultValue={policy?.weekly_on ?? ''}>
              <option value="">no day</option>
              {DAYS.map((day) => (
                <option key={day}>{day}</option>
              ))}
            </Select>
          </div>
          {PARTS.map(([title, settings]) => (
            <fieldset key={title}>
              <legend className="mb-1 text-sm font-semibold">{title}</legend>
              <div className="grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-3">
                {settings.map(({ name: field, initial, ...rest }) => (
                  <Input
                    key={field}
                    name={field}
                    type="number"
                    step="any"
                    defaultValue={(policy ? policy[field] : initial) ?? ''}
                    {...rest}
                  />
                ))}
              </div>
            </fieldset>
          ))}
        </Editable>
        <Problem error={save.error} />
        <div className="flex items-center gap-3">
          <Button type="submit" sends="PUT /models/{name}/policy" disabled={save.isPending}>
            Save the policy
          </Button>
        </div>
      </form>
    </Panel>
  );
}

/**
 * The route sets the whole policy: settings that the form does not show stay unchanged. Empty means none; a first policy
 * leaves out what it does not ask for.
 */
function bodyOf(policy: Policy | null, form: FormData): Schema['PolicyBody'] {
  const asked = PARTS.flatMap(([, settings]) => settings);
  const numbers = asked.map(({ name }) => {
    const text = textOf(form, name);
    return [name, text === '' ? null : Number(text)] as const;
  });
  const emptied = new Set(asked.flatMap(({ name, initial }) => (initial === undefined ? [] : [String(name)])));
  const chosen = ['on_pass', 'evidence', 'weekly_on'].map((name) => [name, textOf(form, name) || null] as const);
  const given = [...numbers, ...chosen].filter(
    ([name, value]) => policy !== null || value !== null || emptied.has(name),
  );
  return { ...policy, ...(Object.fromEntries(given) as Schema['PolicyBody']) };
}
