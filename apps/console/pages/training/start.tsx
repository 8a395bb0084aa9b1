import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { FormEvent, ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Input, Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded, Problem } from '../../components/states.js';

/** Starts a job. What is left empty is decided by the API. `?dataset=` chooses the dataset. */
export function Start(): ReactElement {
  const { dataset }: { dataset?: string } = useSearch({ strict: false });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const datasets = useQuery({
    queryKey: ['datasets', 'to train on'],
    queryFn: () => body(api.GET('/felix/datasets', { params: { query: { limit: 100 } } })),
  });
  const bases = useQuery({
    queryKey: ['base-models'],
    queryFn: () => body(api.GET('/base-models')),
    staleTime: 60_000,
  });
  const start = useMutation({
    mutationFn: (form: FormData) => {
      const epochs = textOf(form, 'epochs');
      return body(
        api.POST('/felix/training-jobs', {
          body: {
            model_name: textOf(form, 'name'),
            base_model: textOf(form, 'base'),
            datasets: [{ name: textOf(form, 'dataset') }],
            training_type: textOf(form, 'type') === 'full' ? 'full' : 'lora',
            ...(epochs && { nr_epochs: Number(epochs) }),
          },
        }),
      );
    },
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['training-jobs'] });
      await navigate({ to: '/training/$id', params: { id } });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    start.mutate(new FormData(event.currentTarget));
  };
  return (
    <Panel title="Train a model">
      <Loaded query={datasets}>
        {({ datasets: list }) => {
          const ready = list.filter(({ status }) => status === 'ready');
          if (ready.length === 0)
            return (
              <Empty>
                There is nothing to learn from yet. <a href="/console/datasets">Upload a dataset</a>
              </Empty>
            );
          return (
            <form key={dataset} onSubmit={submit} className="grid gap-3">
              <div className="flex flex-wrap items-start gap-3">
                <Select label="Dataset" name="dataset" defaultValue={dataset}>
                  {ready.map(({ name, sample_size }) => (
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
                  defaultValue={dataset ?? ready[0]?.name}
                />
                <Select label="Begins with" name="base">
                  {(bases.data?.models ?? [])
                    .filter(({ supports_training }) => supports_training)
                    .map(({ id, label }) => (
                      <option key={id} value={id}>
                        {label}
                      </option>
                    ))}
                </Select>
                <Select label="Learns" name="type">
                  <option value="lora">beside the base model (LoRA)</option>
                  <option value="full">everything anew (full)</option>
                </Select>
                <Input
                  label="Epochs (optional)"
                  name="epochs"
                  type="number"
                  min={1}
                  hint="Left empty, enough for the rows; it stops early."
                />
              </div>
              <Problem error={start.error ?? bases.error} />
              <div>
                <Button kind="main" type="submit" disabled={start.isPending || !bases.data}>
                  Train
                </Button>
              </div>
            </form>
          );
        }}
      </Loaded>
    </Panel>
  );
}
