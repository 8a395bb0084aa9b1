import { useQueries, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { useSession } from '../../api/session.js';
import { Button } from '../../components/button.js';
import { Copy } from '../../components/copy.js';
import { Dialog } from '../../components/dialog.js';
import { Input, TextArea } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { Panel } from '../../components/page.js';
import { Loaded, Problem } from '../../components/states.js';
import { Table } from '../../components/table.js';
import type { Filters } from '../../components/use-filters.js';
import { number, percent } from '../../components/values.js';
import { progressOf, type Pass, type Progress as Progressed } from './progress.js';
import type { Row } from './row.js';
import { passOf, peopleIn, shareOf, teamOf, type Team } from './share.js';
import { rowsQuery } from './use-rows.js';

interface Props {
  readonly dataset: string;
  readonly rows: readonly Row[];
  readonly filters: Filters;
  readonly onChange: (changes: Filters) => void;
}

/** Who labels which share of the rows, how far each has come, and how far they agree. */
export function TeamPanel({ dataset, rows, filters, onChange }: Props): ReactElement {
  const [asking, setAsking] = useState(false);
  const team = teamOf(filters['people'] ?? '', filters['twice'] ?? '');
  const isShared = team.people.length > 0;
  return (
    <Panel
      title="Team"
      actions={<Button onClick={() => setAsking(true)}>{isShared ? 'Change the shares' : 'Share the rows'}</Button>}
    >
      {isShared ? (
        <Progress dataset={dataset} rows={rows} team={team} filters={filters} />
      ) : (
        <p className="text-sm text-muted">You label all rows. Share them, and each person labels a part.</p>
      )}
      <Dialog title={`Who labels ${dataset}?`} open={asking} onClose={() => setAsking(false)}>
        <Shares
          team={team}
          onShare={(changes) => {
            setAsking(false);
            onChange({ ...changes, row: '' });
          }}
        />
      </Dialog>
    </Panel>
  );
}

interface SharesProps {
  readonly team: Team;
  readonly onShare: (changes: Filters) => void;
}

function Shares({ team, onShare }: SharesProps): ReactElement {
  const { email } = useSession().data ?? {};
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const twice = textOf(form, 'twice');
    onShare({ people: peopleIn(teamOf(textOf(form, 'people'), twice)), twice });
  };
  return (
    <form className="grid gap-3" onSubmit={submit}>
      <TextArea
        label="People"
        name="people"
        rows={4}
        defaultValue={peopleIn(team).replaceAll(',', '\n') || (email ?? '')}
        hint="The e-mail address with which each signs in, one a line. `ada@x.org:2` gets twice the share of the others. Nobody: the rows are not shared."
      />
      <Input
        label="Labelled by two people (percent of the rows)"
        name="twice"
        type="number"
        min={0}
        max={100}
        defaultValue={team.twice * 100 || 10}
        hint="Their agreement shows how clear the guidelines are."
      />
      <div>
        <Button kind="main" type="submit">
          Share the rows
        </Button>
      </div>
    </form>
  );
}

interface ProgressProps extends Omit<Props, 'onChange'> {
  readonly team: Team;
}

/** The page's address without what is one person's own. */
function addressOf({ dataset = '', version = '', people = '', twice = '' }: Filters): string {
  return `${location.origin}${location.pathname}?${new URLSearchParams({ dataset, version, people, twice })}`;
}

/** What each person has saved of their rows. */
function Progress({ dataset, rows, team, filters }: ProgressProps): ReactElement {
  const datasets = useQuery({
    queryKey: ['datasets', 'passes'],
    queryFn: () => body(api.GET('/felix/datasets', { params: { query: { limit: 200 } } })),
  });
  const newest = team.people.map(({ email }) =>
    datasets.data?.datasets.find(({ name, status }) => name === passOf(dataset, email) && status === 'ready'),
  );
  const saved = useQueries({
    queries: newest.map((found) => rowsQuery(found?.name ?? '', found?.version_number ?? '')),
  });
  const passes = team.people.map((person, index): Pass => ({ person, rows: saved[index]?.data ?? [] }));
  const lines = progressOf(rows, team, passes);
  return (
    <div className="grid gap-3">
      <Problem error={saved.find(({ error }) => error)?.error ?? null} />
      <Loaded query={datasets}>
        {() => (
          <Table
            caption="The rows of each person"
            rows={lines}
            rowKey={({ person }) => person.email}
            columns={[
              { head: 'Person', cell: ({ person }) => `${person.email}, ${shareOf(person, team)}` },
              {
                head: 'Saved',
                number: true,
                cell: ({ saved: count, assigned }) => `${number(count)} of ${number(assigned)}`,
                by: ({ saved: count }) => count,
              },
              {
                head: 'Like others',
                number: true,
                cell: ({ alike, twice, kappa }) => <Alike {...{ alike, twice, kappa }} />,
                by: ({ alike, twice }) => (twice === 0 ? null : alike / twice),
              },
            ]}
          />
        )}
      </Loaded>
      <p className="text-sm text-muted">
        Each person opens the address below, sees their own rows, and saves them in a dataset of their own, such as{' '}
        {passOf(dataset, team.people[0]!.email)}; “Merge datasets” joins these.
      </p>
      <Copy text={addressOf(filters)} label="The address for the team" />
    </div>
  );
}

/** The texts that a person labelled as others did, with Cohen's kappa of the classes. */
const Alike = ({ alike, twice, kappa }: Pick<Progressed, 'alike' | 'twice' | 'kappa'>): ReactElement =>
  twice === 0 ? (
    <>–</>
  ) : (
    <>
      {percent(alike / twice)} of {number(twice)}
      {kappa !== null && <span className="block text-xs text-muted">kappa {number(kappa)}</span>}
    </>
  );
