import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { useProposes } from '../../api/workspace.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { toast } from '../../components/toast.js';
import { Problem } from '../../components/states.js';

/** A change of a model's versions that a user requests. */
export type ChangeOf =
  | { readonly kind: 'promote' | 'traffic' | 'shadow' | 'label'; readonly version: number }
  | { readonly kind: 'roll back' | 'no traffic' | 'no shadow' };

interface Props {
  readonly name: string;
  readonly change: ChangeOf | null;
  readonly onClose: () => void;
}

/** Asks for the reason, which is recorded with who gave it, and does it. */
export function Change({ name, change, onClose }: Props): ReactElement {
  const queries = useQueryClient();
  const kept = useKeptForm(`change ${name} ${JSON.stringify(change)}`);
  const apply = useMutation({
    mutationFn: ({ to, form }: { to: ChangeOf; form: FormData }) => requestChange(name, to, form),
    onSuccess: async (_, { to }) => {
      kept.forget();
      toast(DONE[to.kind](name, 'version' in to ? to.version : 0));
      onClose();
      await queries.invalidateQueries({ queryKey: ['models'] });
    },
    onError: () => queries.invalidateQueries({ queryKey: ['proposals'] }),
  });
  const proposes = useProposes('promote');
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (change) apply.mutate({ to: change, form: new FormData(event.currentTarget) });
  };
  return (
    <Dialog title={change ? titleOf(name, change) : ''} open={change !== null} onClose={onClose}>
      <form ref={kept.ref} onSubmit={submit} className="grid gap-3">
        {change?.kind === 'traffic' && <PercentField />}
        {change?.kind === 'label' && (
          <Input
            label="Label"
            name="label"
            required
            maxLength={64}
            hint={`Programs then call ${name}@label. A label moves to the version that gets it last.`}
          />
        )}
        <ReasonField />
        <Problem error={apply.error} />
        <div className="flex gap-2">
          <Button kind="main" type="submit" disabled={apply.isPending}>
            {change && (proposes && PROMOTIONS.has(change.kind) ? 'Propose' : BUTTONS[change.kind])}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The share of callers of `requestChange`. */
export const PercentField = (): ReactElement => (
  <Input label="Percent of callers" name="percent" type="number" min={0} max={100} defaultValue={10} required />
);

/** The reason of `requestChange`. */
export const ReasonField = (): ReactElement => (
  <Input
    label="Reason"
    name="reason"
    required
    maxLength={500}
    hint="It is recorded on the event log, with who gave it."
  />
);

/** Changes that need a second person where promotions do. */
const PROMOTIONS = new Set<ChangeOf['kind']>(['promote', 'traffic', 'label']);

const BUTTONS: Readonly<Record<ChangeOf['kind'], string>> = {
  promote: 'Promote',
  traffic: 'Share',
  shadow: 'Shadow',
  label: 'Give the label',
  'roll back': 'Roll back',
  'no traffic': 'Stop',
  'no shadow': 'Stop',
};

/** What is said once a change is made. */
export const DONE: Readonly<Record<ChangeOf['kind'], (name: string, version: number) => string>> = {
  promote: (name, version) => `Version ${version} answers ${name}.`,
  traffic: (name, version) => `Version ${version} answers a share of the callers of ${name}.`,
  shadow: (name, version) => `Version ${version} answers each call of ${name} once more, unseen.`,
  label: (_, version) => `Version ${version} has the label.`,
  'roll back': (name) => `The version before answers ${name} again.`,
  'no traffic': (name) => `The version in use answers all callers of ${name} again.`,
  'no shadow': (name) => `No version answers the calls of ${name} once more.`,
};

function titleOf(name: string, change: ChangeOf): string {
  switch (change.kind) {
    case 'promote':
      return `Let version ${change.version} answer ${name}?`;
    case 'traffic':
      return `Let version ${change.version} answer a share of ${name}'s callers?`;
    case 'shadow':
      return `Let version ${change.version} answer each call of ${name} once more, unseen?`;
    case 'label':
      return `Which label does version ${change.version} get?`;
    case 'roll back':
      return `Put the version before in use again for ${name}?`;
    case 'no traffic':
      return `Let the version in use answer all callers of ${name} again?`;
    case 'no shadow':
      return `Let no version answer the calls of ${name} once more?`;
  }
}

/** @param form its `reason`, and its `percent` or `label` where the change has one */
export function requestChange(name: string, change: ChangeOf, form: FormData): Promise<unknown> {
  const reason = textOf(form, 'reason');
  const params = { path: { name } };
  switch (change.kind) {
    case 'promote':
      return body(
        api.PUT('/models/{name}/versions/{n}/promote', {
          params: { path: { name, n: change.version } },
          body: { reason },
        }),
      );
    case 'traffic':
      return body(
        api.PUT('/models/{name}/traffic', {
          params,
          body: { version: change.version, percent: Number(textOf(form, 'percent')), reason },
        }),
      );
    case 'no traffic':
      return body(api.PUT('/models/{name}/traffic', { params, body: { version: null, percent: 0, reason } }));
    case 'shadow':
      return body(api.PUT('/models/{name}/shadow', { params, body: { version: change.version, reason } }));
    case 'no shadow':
      return body(api.PUT('/models/{name}/shadow', { params, body: { version: null, reason } }));
    case 'label':
      return body(
        api.PUT('/models/{name}/labels/{label}', {
          params: { path: { name, label: textOf(form, 'label') } },
          body: { version: change.version, reason },
        }),
      );
    case 'roll back':
      return body(api.POST('/models/{name}/rollback', { params, body: { reason } }));
  }
}
