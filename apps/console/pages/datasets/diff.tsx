import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Select } from '../../components/field.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { useFilters } from '../../components/use-filters.js';
import { Figure, number } from '../../components/values.js';
import { RowOf, type Version } from './pairs.js';

const KINDS = ['changed', 'added', 'removed'] as const;
type Kind = (typeof KINDS)[number];
type Difference = Schema['VersionDiffRecord'];

const PAGE = 10;
const SAID: Readonly<Record<Kind, string>> = {
  changed: 'labelled otherwise',
  added: 'added',
  removed: 'removed',
};

interface Props {
  readonly of: Version;
  /** Numbers of the ready versions, this one too. */
  readonly versions: readonly string[];
}

/**
 * A version beside an earlier one: the rows that were added, removed or relabelled. The address names both versions.
 */
export function Diff({ of, versions }: Props): ReactElement | null {
  const [filters, change] = useFilters();
  const others = versions.filter((each) => each !== of.version);
  const before = others.filter((each) => Number(each) < Number(of.version));
  const from = others.find((each) => each === filters['from']) ?? before[0] ?? others[0];
  if (from === undefined) return null;
  const kind = KINDS.find((each) => each === filters['changes']);
  const offset = Number(filters['change'] ?? 0) || 0;
  return (
    <Panel
      title="What changed"
      actions={
        <>
          <Select
            label="Compared with"
            value={from}
            onChange={({ target }) => change({ from: target.value, change: undefined })}
          >
            {others.map((each) => (
              <option key={each} value={each}>
                version {each}
              </option>
            ))}
          </Select>
          <Select
            label="Rows"
            value={kind ?? ''}
            onChange={({ target }) => change({ changes: target.value, change: undefined })}
          >
            <option value="">all that differ</option>
            {KINDS.map((each) => (
              <option key={each} value={each}>
                {SAID[each]}
              </option>
            ))}
          </Select>
        </>
      }
    >
      <Changes of={of} from={from} kind={kind} offset={offset} onPage={(at) => change({ change: String(at || '') })} />
    </Panel>
  );
}

interface ChangesProps {
  readonly of: Version;
  readonly from: string;
  readonly kind: Kind | undefined;
  readonly offset: number;
  readonly onPage: (offset: number) => void;
}

function Changes({ of, from, kind, offset, onPage }: ChangesProps): ReactElement {
  const difference = useQuery({
    queryKey: ['datasets', of.name, of.version, 'diff', from, kind, offset],
    queryFn: () =>
      body(
        api.GET('/felix/datasets/{name}/{version}/diff', {
          params: { path: of, query: { from: Number(from), limit: PAGE, offset, ...(kind && { kind }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={difference} rows={6}>
      {(found) => (
        <div className="grid gap-4">
          <dl className="metrics">
            <Figure label="Rows labelled otherwise" value={number(found.changed)} />
            <Figure label="Rows added" value={number(found.added)} />
            <Figure label="Rows removed" value={number(found.removed)} />
            <Figure label="Rows unchanged" value={number(found.unchanged)} />
          </dl>
          {found.total === 0 ? (
            <Empty>
              No row {kind ? `was ${SAID[kind]}` : 'differs'} since version {from}.
            </Empty>
          ) : (
            <SideBySide of={of} found={found} />
          )}
          {found.total > PAGE && (
            <div className="flex flex-wrap items-center gap-3">
              <Button disabled={offset === 0} onClick={() => onPage(Math.max(0, offset - PAGE))}>
                Earlier changes
              </Button>
              <Button disabled={offset + PAGE >= found.total} onClick={() => onPage(offset + PAGE)}>
                Later changes
              </Button>
              <span className="text-sm text-muted">
                {number(offset + 1)} to {number(Math.min(offset + PAGE, found.total))} of {number(found.total)}
                {found.truncated && ', the first ones of each kind'}
              </span>
            </div>
          )}
        </div>
      )}
    </Loaded>
  );
}

const SideBySide = ({ of, found }: { readonly of: Version; readonly found: Difference }): ReactElement => (
  <ol aria-label="Rows that differ" className="grid gap-3">
    {found.changes.map(({ kind, from_row, row }) => (
      <li
        key={`${from_row} ${row}`}
        className={`grid gap-x-3 gap-y-1 border-l-2 pl-3 ${BORDERS[kind]} ${kind === 'changed' ? 'md:grid-cols-2' : ''}`}
      >
        <Side of={{ name: of.name, version: found.from_version }} row={from_row} />
        <Side of={of} row={row} />
      </li>
    ))}
  </ol>
);

const BORDERS: Readonly<Record<Kind, string>> = {
  changed: 'border-warn',
  added: 'border-good',
  removed: 'border-bad',
};

const Side = ({ of, row }: { readonly of: Version; readonly row: number | null }): ReactElement =>
  row === null ? <p className="text-sm text-muted">Not in version {of.version}.</p> : <RowOf of={of} row={row} />;
