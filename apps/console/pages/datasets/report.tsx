import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Panel } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { number } from '../../components/values.js';

type VersionReport = Schema['VersionReportRecord'];

/** What a model would learn from a version, and what would mislead it. */
export function Report({ name, version }: { readonly name: string; readonly version: string }): ReactElement {
  const report = useQuery({
    queryKey: ['datasets', name, version, 'report'],
    queryFn: () => body(api.GET('/felix/datasets/{name}/{version}/report', { params: { path: { name, version } } })),
  });
  return (
    <Panel title="What a model would learn">
      <Loaded query={report} rows={6}>
        {(found) => (
          <div className="grid gap-4">
            <Findings report={found} />
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

function Findings({ report }: { readonly report: VersionReport }): ReactElement {
  const findings = [
    [report.unlabelled.total, 'rows have no label at all'],
    [report.exact_duplicates.total, 'rows have the text of an earlier row'],
    [
      report.normalised_duplicates.total,
      'rows have the text of an earlier row but for case, white space or punctuation',
    ],
    [report.conflicts.total, 'rows contradict an earlier row with the same text'],
    [report.rare_labels.total, `labels are rare: fewer than ${report.rare_labels.min_rows} rows have them`],
    [report.unaligned_spans.total, 'entities are not where their row says, blank, overlapping, or part of a word'],
    [report.repeated_annotations.total, 'annotations are listed twice in their row'],
  ] as const;
  const found = findings.filter(([count]) => count > 0);
  return found.length === 0 ? (
    <p className="text-good">Nothing was found that would mislead a model.</p>
  ) : (
    <ul className="grid gap-1">
      {found.map(([count, what]) => (
        <li key={what} className="border-l-2 border-warn pl-3">
          <b className="tabular-nums">{number(count)}</b> {what}
        </li>
      ))}
    </ul>
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
