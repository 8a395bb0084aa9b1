import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Panel } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { number } from '../../components/values.js';
import { Pairs, RowOf, type Pair, type Version } from './pairs.js';

type VersionReport = Schema['VersionReportRecord'];

export const useReport = (name: string, version: string, enabled = true) =>
  useQuery({
    queryKey: ['datasets', name, version, 'report'],
    queryFn: () => body(api.GET('/felix/datasets/{name}/{version}/report', { params: { path: { name, version } } })),
    meta: { late: true },
    enabled,
  });

/** The report on a version: what a model would learn from it, and what would mislead it. */
export function Report({ name, version }: { readonly name: string; readonly version: string }): ReactElement {
  const report = useReport(name, version);
  return (
    <Panel title="What a model would learn">
      <Loaded query={report} rows={6}>
        {(found) => (
          <div className="grid gap-4">
            <Findings report={found} of={{ name, version }} />
            <div className="grid gap-4 lg:grid-cols-2">
              {found.heads.map((head) => (
                <Labels key={head.head} head={head} />
              ))}
            </div>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

/** What would mislead a model. */
export function findingsOf(report: VersionReport): readonly Finding[] {
  const like = ({ rows }: { rows: readonly { row: number; same_as: number }[] }): readonly Pair[] =>
    rows.map(({ row, same_as }) => ({ row, other: same_as }));
  const findings: readonly Finding[] = [
    {
      count: report.unlabelled.total,
      what: 'rows have no label at all',
      rows: report.unlabelled.rows,
    },
    {
      count: report.exact_duplicates.total,
      what: 'rows have the text of an earlier row',
      pairs: like(report.exact_duplicates),
    },
    {
      count: report.normalised_duplicates.total,
      what: 'rows have the text of an earlier row but for case, white space or punctuation',
      pairs: like(report.normalised_duplicates),
    },
    {
      count: report.conflicts.total,
      what: 'rows contradict an earlier row with the same text',
      pairs: like(report.conflicts),
    },
    {
      count: report.rare_labels.total,
      what: `labels are rare: fewer than ${report.rare_labels.min_rows} rows have them`,
    },
    {
      count: report.unaligned_spans.total,
      what: 'entities are not where their row says, blank, overlapping, or part of a word',
      rows: report.unaligned_spans.spans.map(({ row }) => row),
    },
    {
      count: report.repeated_annotations.total,
      what: 'annotations are listed twice in their row',
    },
  ];
  return findings.filter(({ count }) => count > 0);
}

function Findings({ report, of }: { readonly report: VersionReport; readonly of: Version }): ReactElement {
  const found = findingsOf(report);
  return found.length === 0 ? (
    <p className="text-good">Nothing was found that would mislead a model.</p>
  ) : (
    <ul className="grid gap-2">
      {found.map((finding) => (
        <li key={finding.what} className="border-l-2 border-warn pl-3">
          <b className="tabular-nums">{number(finding.count)}</b> {finding.what}
          <Shown finding={finding} of={of} />
        </li>
      ))}
    </ul>
  );
}

interface Finding {
  readonly count: number;
  readonly what: string;
  /** Rows, from 1. */
  readonly rows?: readonly number[];
  readonly pairs?: readonly Pair[];
}

const SHOWN = 10;

/** The rows of a finding, fetched only when the user opens it. */
function Shown({ finding: { rows = [], pairs = [], what }, of }: { readonly finding: Finding; readonly of: Version }) {
  const [isOpen, setOpen] = useState(false);
  const several = [...new Set(rows)].slice(0, SHOWN);
  if (several.length + pairs.length === 0) return null;
  return (
    <div>
      <Button
        kind="quiet"
        aria-expanded={isOpen}
        aria-label={`${isOpen ? 'Hide' : 'Show'} the rows: ${what}`}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Hide the rows' : 'Show the rows'}
      </Button>
      {isOpen && <Pairs of={of} pairs={pairs} />}
      {isOpen && several.map((row) => <RowOf key={row} of={of} row={row} />)}
    </div>
  );
}

/** How many rows have each label: the bars repeat the numbers. */
function Labels({ head: { head, rows, labels } }: { readonly head: VersionReport['heads'][number] }): ReactElement {
  const most = Math.max(1, ...labels.labels.map((each) => each.rows));
  return (
    <section className="grid content-start gap-2">
      <h3 className="font-semibold">
        {head}: {number(labels.total)} labels in {number(rows)} rows
      </h3>
      <ul className="grid gap-1.5">
        {labels.labels.slice(0, 30).map((each) => (
          <li key={each.label} className="grid grid-cols-[9rem_1fr_5rem] items-center gap-2 text-sm">
            <span className="truncate" title={each.label}>
              {each.label}
            </span>
            <span aria-hidden className="h-2.5 rounded bg-accent" style={{ width: `${(100 * each.rows) / most}%` }} />
            <span className="text-right tabular-nums">{number(each.rows)} rows</span>
          </li>
        ))}
      </ul>
      {labels.labels.length > 30 && <p className="text-sm text-muted">The 30 most frequent.</p>}
    </section>
  );
}
