import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button, buttonClass } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { ModelNames } from '../../components/model-names.js';
import { Page, Panel } from '../../components/page.js';
import { Proposals } from '../../components/proposals.js';
import { Empty, Loaded, Problem } from '../../components/states.js';
import type { Column } from '../../components/sorting.js';
import { Pages, usePage } from '../../components/table.js';
import { aboutDollars, counted, percent } from '../../components/values.js';
import { DAYS, savedIn, useSavings, type Savings } from '../distillation/savings-queries.js';

export function ModelsPage(): ReactElement {
  const page = usePage();
  const [naming, setNaming] = useState(false);
  const models = useQuery({
    queryKey: ['models', 'page', page],
    queryFn: () => body(api.GET('/models', { params: { query: page } })),
    placeholderData: keepPreviousData,
  });
  const savings = useSavings(models.data?.models ?? []);
  const figures = useFigures();
  const columns = [f1Column(figures), FOR, ...(savings.size > 0 ? savingsColumns(savings) : [])];
  return (
    <Page
      title="Models"
      intro="Programs call a name; which version answers is changed here, without a change of the programs."
      actions={
        <>
          <Link to="/distillable" className={buttonClass()}>
            What a small model could answer
          </Link>
          <Button kind="main" sends="POST /models" onClick={() => setNaming(true)}>
            New name
          </Button>
        </>
      }
    >
      <Proposals />
      <Panel title="Names">
        <Loaded query={models}>
          {({ models: list, total }) =>
            total === 0 ? (
              <Empty>There are no names yet. Give one, then add a trained model to it as its first version.</Empty>
            ) : (
              <>
                <ModelNames models={list} also={columns} />
                <Pages total={total} />
              </>
            )
          }
        </Loaded>
      </Panel>
      <Dialog title="New name" open={naming} onClose={() => setNaming(false)}>
        <NewName />
      </Dialog>
    </Page>
  );
}

type Figures = ReadonlyMap<string, Schema['TrainedModel']['metrics']>;

/** The figures of trained models, by the ids that names stand for. */
function useFigures(): Figures {
  const trained = useQuery({
    queryKey: ['trained-models', 'figures'],
    queryFn: () => body(api.GET('/felix/trained-models', { params: { query: { limit: 100 } } })),
  });
  return new Map(trained.data?.models.map(({ model_id, metrics }) => [model_id, metrics]));
}

/** Of the version in use, with the rows without which it says little. */
const f1Column = (figures: Figures): Column<Schema['NamedModelRecord']> => ({
  ...{ head: 'F1', number: true },
  cell: ({ model_id }) => {
    const { f1 = null, judged_rows: rows = null } = figures.get(model_id ?? '') ?? {};
    if (f1 === null) return '–';
    return rows === null ? percent(f1) : `${percent(f1)} of ${counted(rows, 'row')}`;
  },
  by: ({ model_id }) => figures.get(model_id ?? '')?.f1 ?? null,
});

const FOR: Column<Schema['NamedModelRecord']> = { head: 'For', cell: ({ description }) => description ?? '–' };

/** What distilled names answer by themselves, and save. */
const savingsColumns = (savings: ReadonlyMap<string, Savings>): readonly Column<Schema['NamedModelRecord']>[] => [
  {
    ...{ head: `By the small model, ${DAYS} days`, number: true },
    cell: ({ name }) => {
      const share = savings.get(name)?.share ?? null;
      return share === null ? '–' : percent(share);
    },
  },
  {
    ...{ head: 'Saved', number: true },
    cell: ({ name }) => {
      const own = savings.get(name);
      const saved = own ? savedIn(own) : null;
      return saved === null ? '–' : aboutDollars(saved);
    },
  },
];

function NewName(): ReactElement {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const kept = useKeptForm('new name');
  const create = useMutation({
    mutationFn: (form: FormData) =>
      body(
        api.POST('/models', { body: { name: textOf(form, 'name'), description: textOf(form, 'description') || null } }),
      ),
    onSuccess: async ({ name }) => {
      kept.forget();
      await queries.invalidateQueries({ queryKey: ['models'] });
      await navigate({ to: '/models/$name', params: { name } });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    create.mutate(new FormData(event.currentTarget));
  };
  return (
    <form ref={kept.ref} onSubmit={submit} className="grid gap-3">
      <p className="text-muted">Programs call the name. A trained model becomes its first version.</p>
      <Input label="Name" name="name" required maxLength={64} hint="lower-case letters, digits, . _ -" />
      <Input label="For (optional)" name="description" maxLength={500} />
      <Problem error={create.error} />
      <div>
        <Button kind="main" type="submit" disabled={create.isPending}>
          Create name
        </Button>
      </div>
    </form>
  );
}
