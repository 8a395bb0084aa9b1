import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState, type FormEvent, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Input, Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Page, Panel } from '../../components/page.js';
import { Empty, Loaded, Problem } from '../../components/states.js';
import { Estimate } from './estimate.js';
import { formKey, MoreSettings, moreSettings } from './more-settings.js';

type Body = Schema['CreateTrainingJobBody'];

interface Chosen {
  readonly dataset?: string;
  /** A checkpoint or model to continue from. */
  readonly base?: string;
  readonly name?: string;
}

/** The form that starts a job. The API decides about empty fields. `?dataset=`, `?base=` and `?name=` choose. */
export function NewTrainingPage(): ReactElement {
  const chosen: Chosen = useSearch({ strict: false });
  const choices = useQuery({
    queryKey: ['datasets', 'to train on'],
    queryFn: async () => {
      const [{ datasets }, { models }] = await Promise.all([
        body(api.GET('/felix/datasets', { params: { query: { limit: 200 } } })),
        body(api.GET('/base-models')),
      ]);
      return {
        datasets: datasets.filter(({ status }) => status === 'ready'),
        bases: models.filter(({ supports_training }) => supports_training),
      };
    },
  });
  return (
    <Page title={chosen.base ? 'Go on from a checkpoint' : 'Train a model'} of={['Training', '/training']}>
      <Panel>
        <Loaded query={choices} rows={6}>
          {({ datasets, bases }) =>
            datasets.length === 0 ? (
              <Empty>
                There is nothing to learn from yet. <Link to="/datasets/new">Upload a dataset</Link>
              </Empty>
            ) : (
              <StartForm key={`${chosen.dataset} ${chosen.base}`} {...{ datasets, bases, chosen }} />
            )
          }
        </Loaded>
      </Panel>
    </Page>
  );
}

interface Props {
  readonly datasets: readonly Schema['DatasetVersionRecord'][];
  /** Base models that can be trained. */
  readonly bases: readonly Schema['BaseModel'][];
  readonly chosen: Chosen;
}

function StartForm({ datasets, bases, chosen }: Props): ReactElement {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const kept = useKeptForm(formKey(chosen.dataset, chosen.base));
  const [request, setRequest] = useState<Body | null>(null);
  const start = useMutation({
    mutationFn: (order: Body) => body(api.POST('/felix/training-jobs', { body: order })),
    onSuccess: async ({ id }) => {
      kept.forget();
      await queries.invalidateQueries({ queryKey: ['training-jobs'] });
      await navigate({ to: '/training/$id', params: { id } });
    },
  });
  const read = (form: HTMLFormElement): Body => bodyOf(new FormData(form));
  const button = useRef<HTMLButtonElement>(null);
  // The estimate is of the form as it begins.
  useEffect(() => {
    if (button.current?.form) setRequest(read(button.current.form));
  }, []);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    start.mutate(read(event.currentTarget));
  };
  return (
    <form
      ref={kept.ref}
      onChange={({ currentTarget }) => setRequest(read(currentTarget))}
      onSubmit={submit}
      className="grid gap-3"
    >
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(18rem,100%),1fr))] items-start gap-3">
        <Select
          label="Dataset"
          name="dataset"
          defaultValue={chosen.dataset}
          // Until a name is written, it is that of the dataset.
          onChange={({ target: { form, value } }) => {
            const name = form?.elements.namedItem('name');
            const proposed = chosen.name === undefined && datasets.some((each) => each.name === nameIn(name));
            if (name instanceof HTMLInputElement && proposed) {
              name.value = value;
              // What the form keeps over a reload is what it shows.
              name.dispatchEvent(new Event('input', { bubbles: true }));
            }
          }}
        >
          {datasets.map(({ name, sample_size }) => (
            <option key={name} value={name}>
              {name}, {sample_size} rows
            </option>
          ))}
        </Select>
        <Select
          label="Measured on"
          name="held_out"
          defaultValue=""
          hint="Another dataset is held out as a whole: nothing of it is learned."
        >
          <option value="">a part of the rows</option>
          {datasets.map(({ name, sample_size }) => (
            <option key={name} value={name}>
              {name}, {sample_size} rows
            </option>
          ))}
        </Select>
        <Input
          label="Model's name"
          name="name"
          required
          maxLength={100}
          defaultValue={chosen.name ?? chosen.dataset ?? datasets[0]?.name}
        />
        <Select label="Begins with" name="base">
          {chosen.base && <option value={chosen.base}>checkpoint {chosen.base.slice(0, 8)}</option>}
          {bases.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
        <Input
          label="Epochs (optional)"
          name="nr_epochs"
          type="number"
          min={1}
          max={200}
          hint="Left empty, enough for the rows; it stops early."
        />
      </div>
      {datasets.length > 1 && <Also datasets={datasets} />}
      <MoreSettings />
      {request && <Estimate request={request} />}
      <Problem error={start.error} />
      <div>
        <Button ref={button} kind="main" type="submit" disabled={start.isPending}>
          Train
        </Button>
      </div>
    </form>
  );
}

/** Further datasets that the model learns from. */
const Also = ({ datasets }: Pick<Props, 'datasets'>): ReactElement => (
  <details>
    <summary className="cursor-pointer text-sm text-muted">Several datasets</summary>
    <fieldset className="mt-2 flex flex-wrap gap-x-4 gap-y-1">
      <legend className="mb-1 text-sm text-muted">Learns from these as well</legend>
      {datasets.map(({ name }) => (
        <label key={name} className="check">
          <input type="checkbox" name="also" value={name} />
          {name}
        </label>
      ))}
    </fieldset>
  </details>
);

const nameIn = (field: Element | RadioNodeList | null | undefined): string | null =>
  field instanceof HTMLInputElement ? field.value : null;

function bodyOf(form: FormData): Body {
  const epochs = textOf(form, 'nr_epochs');
  const heldOut = textOf(form, 'held_out');
  const also = form.getAll('also').filter((each) => typeof each === 'string');
  const learned = [...new Set([textOf(form, 'dataset'), ...also])];
  return {
    model_name: textOf(form, 'name'),
    base_model: textOf(form, 'base'),
    datasets: [...learned.map((name) => ({ name })), ...(heldOut ? [{ name: heldOut, held_out: true }] : [])],
    ...(epochs && { nr_epochs: Number(epochs) }),
    ...moreSettings(form),
  };
}
