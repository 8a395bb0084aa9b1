import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { isRecord, type Fields } from '../../components/json.js';
import { bytes, dollars, Time } from '../../components/values.js';

type Facts = Schema['CallLineage'];

/** How an answer came to be, from the call back to the rows that its model learned from; each step with its event on the log. */
export function Lineage({ facts }: { readonly facts: Facts }): ReactElement {
  const { by, project, model, training, datasets, price, corrections, erased, event, truncated } = facts;
  const steps: readonly (readonly [string, unknown])[] = [
    ['The call', { status: facts.status, at: facts.at, event }],
    ['was asked by', by],
    ['in the project', project],
    ['of the model', model],
    ...training.map((job) => ['that was trained by', job] as const),
    ...datasets.map((dataset) => ['on the dataset', dataset] as const),
    ['for the price', price && priced(price)],
    ...corrections.map((correction) => ['was judged', correction] as const),
    ['was erased', erased],
  ];
  return (
    <>
      <ol className="grid gap-5">
        {steps
          .filter(([, value]) => !isNothing(value))
          .map(([title, value], index) => (
            <li
              key={index}
              className="relative rounded-md border border-line p-3 text-sm not-first:before:absolute not-first:before:-top-5 not-first:before:left-6 not-first:before:h-5 not-first:before:border-l-2 not-first:before:border-line"
            >
              <h3 className="mb-1 font-semibold">{title}</h3>
              <Fact value={value} />
            </li>
          ))}
      </ol>
      {truncated && <p className="mt-3 text-sm text-muted">There is more: the lineage of a call ends here.</p>}
    </>
  );
}

function Fact({ value }: { readonly value: unknown }): ReactElement {
  if (isEvent(value))
    return (
      <span>
        <Link to="/log" search={{ stream: value.stream, as_of: value.position }}>
          {value.type}
        </Link>
        , <Time at={value.time} />
        {value.confirmed_by && `, confirmed by ${value.confirmed_by}`}
        {value.reason && `, reason: ${value.reason}`}
        {value.ticket && `, ticket: ${value.ticket}`}
      </span>
    );
  if (Array.isArray(value))
    return (
      <ol className="list-decimal pl-6">
        {value.map((each: unknown, index) => (
          <li key={index}>
            <Fact value={each} />
          </li>
        ))}
      </ol>
    );
  if (!isRecord(value)) return <span className="break-all">{String(value)}</span>;
  return (
    <ul className="grid gap-1">
      {Object.entries(value)
        .filter(([, each]) => !isNothing(each))
        .map(([name, each]) => (
          <li key={name}>
            <span className="text-muted">{name.replaceAll('_', ' ')}</span>{' '}
            {name === 'job_id' && typeof each === 'string' ? (
              <Link to="/training/$id" params={{ id: each }}>
                {each}
              </Link>
            ) : isRecord(each) && !isEvent(each) ? (
              <div className="border-l border-line pl-3">
                <Fact value={each} />
              </div>
            ) : name === 'at' && typeof each === 'string' ? (
              <Time at={each} seconds />
            ) : name === 'size' && typeof each === 'number' ? (
              bytes(each)
            ) : (
              <Fact value={each} />
            )}
          </li>
        ))}
    </ul>
  );
}

/** The log counts in picodollars a token. */
function priced({ cost_picodollars: cost, source, event, ...prices }: NonNullable<Facts['price']>): Fields {
  const each = Object.entries(prices).map(([tokens, picodollars]): readonly [string, string] => [
    `${tokens}_tokens`,
    `${dollars(Number(picodollars) / 1e6)} per million`,
  ]);
  return { ...Object.fromEntries(each), cost: dollars(Number(cost) / 1e12), source, event };
}

const isNothing = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

const isEvent = (value: unknown): value is Schema['EventCitation'] =>
  isRecord(value) && 'position' in value && 'stream' in value && 'type' in value;
