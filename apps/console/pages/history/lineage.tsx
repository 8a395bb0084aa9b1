import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { isRecord } from '../../components/json.js';
import { Time } from '../../components/values.js';

/** How an answer came to be, each fact with its event. */
export const Lineage = ({ facts }: { readonly facts: Schema['CallLineage'] }): ReactElement => <Fact value={facts} />;

function Fact({ value }: { readonly value: unknown }): ReactElement {
  if (isEvent(value))
    return (
      <span>
        position {value.position}, {value.type}, <Time at={value.time} />
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
    <ul className="grid gap-1 border-l border-line pl-3 text-sm">
      {Object.entries(value)
        .filter(([, each]) => !isNothing(each))
        .map(([name, each]) => (
          <li key={name}>
            <span className="text-muted">{name.replaceAll('_', ' ')}</span> <Fact value={each} />
          </li>
        ))}
    </ul>
  );
}

const isNothing = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

const isEvent = (value: unknown): value is Schema['EventCitation'] =>
  isRecord(value) && 'position' in value && 'stream' in value && 'type' in value;
