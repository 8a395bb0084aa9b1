import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { Choices } from '../../components/choices.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { ALL_TYPES, GROUPS } from './types.js';

type Fields = Pick<Schema['WebhookRecord'], 'url' | 'description' | 'types'>;

const NEW: Fields = { url: '', description: null, types: ALL_TYPES };

/** Where a webhook posts, and what it tells. */
export const WebhookFields = ({ of = NEW }: { readonly of?: Fields }): ReactElement => (
  <div className="grid gap-3">
    <Input
      className="max-w-2xl"
      label="Address"
      name="url"
      type="url"
      required
      maxLength={2048}
      defaultValue={of.url}
      placeholder="https://example.com/hooks"
      hint="It must be public, with TLS. The log keeps it as it is: put no secret into it."
    />
    <Input
      className="max-w-2xl"
      label="Description (optional)"
      name="description"
      maxLength={200}
      defaultValue={of.description ?? ''}
      placeholder="what it is for"
    />
    <Choices name="types" title="Events" groups={GROUPS} chosen={of.types} />
  </div>
);

/** What `WebhookFields` say, as the API has it. */
export const fieldsOf = (form: FormData): Fields => ({
  url: textOf(form, 'url').trim(),
  description: textOf(form, 'description').trim() || null,
  types: ALL_TYPES.filter((type) => form.getAll('types').includes(type)),
});
