import type { ReactElement } from 'react';
import type { Part } from '../../api/health.js';
import { bytes, duration, number, positionOf, Time } from '../../components/values.js';

/** A part's own facts in words and units, without those of nested parts. */
export const Facts = ({ part: { status: _status, ...facts } }: { readonly part: Part }): ReactElement => {
  const { freeBytes, sizeBytes, ...others } = facts;
  return (
    <span className="text-muted">
      {typeof freeBytes === 'number' && typeof sizeBytes === 'number' && (
        <>
          {bytes(freeBytes)} of {bytes(sizeBytes)} free
        </>
      )}
      {Object.entries(others)
        .filter(([, value]) => typeof value !== 'object')
        .map(([name, value], index) => (
          <span key={name}>
            {index > 0 && ' · '}
            {wordsOf(name)} <Value name={name} value={value} />
          </span>
        ))}
    </span>
  );
};

/** Labels of fields whose names lack unit or meaning. */
const WORDS: Readonly<Record<string, string>> = { size: 'events signed', signedAt: 'last', checkedAt: 'all compared' };

/** `lastHeardMs` is "last heard". */
const wordsOf = (name: string): string =>
  WORDS[name] ??
  name
    .replace(/(At|Ms|Bytes)$/, '')
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim();

function Value({ name, value }: { readonly name: string; readonly value: unknown }): ReactElement {
  if (name.endsWith('At') && typeof value === 'string') return <Time at={value} seconds />;
  if (name === 'position') return <>{positionOf(String(value))}</>;
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>;
  if (typeof value !== 'number') return <>{String(value)}</>;
  return <>{name.endsWith('Ms') ? duration(value) : name.endsWith('Bytes') ? bytes(value) : number(value)}</>;
}
