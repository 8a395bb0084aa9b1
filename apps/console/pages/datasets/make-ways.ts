import { api, body, type Schema } from '../../api/client.js';
import { textOf } from '../../components/form.js';

type OnError = NonNullable<Schema['PullBody']['on_error']>;

/** The result of a form: a version, or a job that makes one. */
export type Made = { readonly name: string; readonly version: string } | { readonly job: string };

const linesOf = (form: FormData, name: string): string[] =>
  textOf(form, name)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

const namesOf = (form: FormData, name: string): string[] =>
  textOf(form, name)
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);

/** `name` or `name 3`. */
function sourceOf(line: string): Schema['MergeSourceReference'] {
  const [dataset_name = '', version] = line.split(/\s+/);
  return { dataset_name, ...(version && { version }) };
}

export async function merge(form: FormData): Promise<Made> {
  const { dataset_name: name, version } = await body(
    api.POST('/felix/datasets/merge', {
      body: { sources: linesOf(form, 'sources').map(sourceOf), output_name: textOf(form, 'name') },
    }),
  );
  return { name, version };
}

export async function fromFeedback(form: FormData): Promise<Made> {
  const model = textOf(form, 'model');
  const held = textOf(form, 'held_out_share');
  const { name, version_number: version } = await body(
    api.POST('/felix/datasets/from-feedback', {
      body: {
        dataset_name: textOf(form, 'name'),
        ...(model && { model }),
        ...(held && { held_out_share: Number(held) }),
      },
    }),
  );
  return { name, version };
}

export async function pull(form: FormData): Promise<Made> {
  const given = (field: string): string | null => textOf(form, field) || null;
  const { name, version_number: version } = await body(
    api.POST('/felix/datasets/pull-from-hub', {
      body: {
        repo_id: textOf(form, 'repo_id'),
        dataset_name: textOf(form, 'name'),
        dataset_type: textOf(form, 'task') as Schema['PullBody']['dataset_type'],
        on_error: given('on_error') as OnError | null,
        ...{ config: given('config'), split: given('split'), hf_token: given('hf_token') },
      },
    }),
  );
  return { name, version };
}

export async function generate(form: FormData): Promise<Made> {
  const { job_id: job } = await body(
    api.POST('/generate', {
      body: {
        task_type: textOf(form, 'task') === 'classification' ? 'classification' : 'ner',
        dataset_name: textOf(form, 'name'),
        labels: namesOf(form, 'labels'),
        num_examples: Number(textOf(form, 'count')),
        domain_description: textOf(form, 'about') || null,
      },
    }),
  );
  return { job };
}

export async function label(form: FormData): Promise<Made> {
  const order = {
    inputs: linesOf(form, 'texts'),
    labels: namesOf(form, 'labels'),
    dataset_name: textOf(form, 'name'),
    model_id: textOf(form, 'model') || null,
  };
  const isClasses = textOf(form, 'task') === 'classification';
  const { dataset_name, version_number } = isClasses
    ? await body(api.POST('/generate/classification/label-existing', { body: order }))
    : await body(api.POST('/generate/ner/label-existing', { body: order }));
  return { name: dataset_name ?? order.dataset_name, version: version_number ?? '1' };
}
