import type { ReactElement } from 'react';
import { inner, type Part } from '../../api/health.js';
import { bytes, duration, number, positionOf, Time } from '../../components/values.js';

/** A part's own facts in words and units, without those of nested parts. */
export const Facts = ({ part }: { readonly part: Part }): ReactElement | null => {
  const { status: _status, freeBytes, sizeBytes, ...others } = part;
  const things = inner(part);
  const hasStates = things.some(([, { state }]) => state !== undefined);
  const isRoom = typeof freeBytes === 'number' && typeof sizeBytes === 'number';
  const facts = Object.entries(others).filter(([, value]) => typeof value !== 'object');
  if (!hasStates && !isRoom && facts.length === 0) return null;
  return (
    <span className="text-muted">
      {hasStates && saysOf(things)}
      {isRoom && (
        <>
          {bytes(freeBytes)} of {bytes(sizeBytes)} free
        </>
      )}
      {facts.map(([name, value], index) => (
        <span key={name}>
          {index > 0 && ' · '}
          {value === false && 'not '}
          {wordsOf(name)} {typeof value !== 'boolean' && <Value name={name} value={value} />}
        </span>
      ))}
    </span>
  );
};

/** How many things inside a part are in which state: `30 live, 1 rebuilding`. */
export const saysOf = (things: ReturnType<typeof inner>): string =>
  Object.entries(Object.groupBy(things, ([, { state }]) => String(state)))
    .map(([state, some = []]) => `${number(some.length)} ${state}`)
    .join(', ');

/** Labels of fields whose names lack unit or meaning. */
const WORDS: Readonly<Record<string, string>> = {
  size: 'events signed',
  signedAt: 'last',
  checkedAt: 'all compared',
  writes: 'taking writes',
};

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
  if (typeof value !== 'number') return <>{String(value)}</>;
  return <>{name.endsWith('Ms') ? duration(value) : name.endsWith('Bytes') ? bytes(value) : number(value)}</>;
}
