import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { Input, Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';

type Limits = Pick<
  Schema['NewApiKey'],
  'models' | 'requests_per_minute' | 'tokens_per_minute' | 'budget' | 'budget_period'
>;

const NO_LIMITS: Limits = {
  ...{ models: null, requests_per_minute: null, tokens_per_minute: null, budget: null, budget_period: null },
};

/** Limits of a key's calls of models; an empty field is none. */
export const LimitFields = ({ of = NO_LIMITS }: { readonly of?: Limits }): ReactElement => (
  <div className="grid gap-3 sm:grid-cols-2">
    <Input
      label="Only these models"
      name="models"
      defaultValue={of.models?.join(' ')}
      placeholder="qwen/* tickets"
      hint="Names, with blanks between them; one with * at its end allows all that begin so."
    />
    <Input
      label="Requests in a minute"
      name="requests"
      type="number"
      min={1}
      defaultValue={of.requests_per_minute ?? ''}
    />
    <Input label="Tokens in a minute" name="tokens" type="number" min={1} defaultValue={of.tokens_per_minute ?? ''} />
    <Input label="Budget (USD)" name="budget" type="number" step="any" min={0} defaultValue={of.budget ?? ''} />
    <Select label="Budget for" name="period" defaultValue={of.budget_period ?? ''}>
      <option value="">the life of the key</option>
      {(['day', 'week', 'month'] as const).map((period) => (
        <option key={period} value={period}>{`each ${period} (UTC)`}</option>
      ))}
    </Select>
  </div>
);

/** What `LimitFields` say, as the API has it. */
export function limitsOf(form: FormData): Limits {
  const amountOf = (name: string): number | null => (textOf(form, name) === '' ? null : Number(textOf(form, name)));
  const models = textOf(form, 'models').split(/[\s,]+/).filter((name) => name !== ''); // prettier-ignore
  const budget = amountOf('budget');
  return {
    models: models.length > 0 ? models : null,
    requests_per_minute: amountOf('requests'),
    tokens_per_minute: amountOf('tokens'),
    budget,
    budget_period: budget === null ? null : ((textOf(form, 'period') || null) as Limits['budget_period']),
  };
}
