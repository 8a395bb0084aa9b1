import type { ReactElement } from 'react';

/** Time zone of the browser, in which times are shown. */
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const THIS_YEAR = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const PRECISE_CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const PRECISE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });
/** What is measured varies by more than its fourth digit. */
const MEASURE = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

/** A moment in the browser's time zone, of today without its date; its tooltip names the zone, with the time in UTC. */
export const Time = ({
  at,
  day = false,
  seconds = false,
}: {
  readonly at: string | null | undefined;
  readonly day?: boolean;
  readonly seconds?: boolean;
}): ReactElement =>
  at ? (
    <time dateTime={at} title={`${new Date(at).toISOString()} · shown in ${ZONE}`}>
      {saidOf(new Date(at), day, seconds)}
    </time>
  ) : (
    <>never</>
  );

/** A day, for texts in which no element fits. */
export const day = (at: string): string => DAY.format(new Date(at));

function saidOf(moment: Date, isDay: boolean, seconds: boolean): string {
  if (isDay) return DAY.format(moment);
  const now = new Date();
  if (moment.toDateString() === now.toDateString()) return `today ${(seconds ? PRECISE_CLOCK : CLOCK).format(moment)}`;
  if (seconds) return PRECISE.format(moment);
  return (moment.getFullYear() === now.getFullYear() ? THIS_YEAR : MOMENT).format(moment);
}

export const number = (value: number): string => NUMBER.format(value);
/** A number of things with their name: `1 row`, `700 rows`. @param name of one; its plural ends in -s */
export const counted = (count: number, name: string): string => `${number(count)} ${name}${count === 1 ? '' : 's'}`;
export const percent = (share: number): string => PERCENT.format(share);

/** US dollars, with as many digits as a small price needs. */
export const dollars = (amount: number): string =>
  new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: amount !== 0 && Math.abs(amount) < 1 ? 7 : 2,
  }).format(amount);

/** US dollars to three digits, for a figure that is read at a glance. */
export const aboutDollars = (amount: number): string =>
  Math.abs(amount) >= 1
    ? dollars(amount)
    : new Intl.NumberFormat(undefined, {
        style: 'currency',
        currency: 'USD',
        maximumSignificantDigits: 3,
      }).format(amount);

/** An id or an address in a cell of a table: it may break anywhere, and keeps enough room to be read. */
export const Id = ({ children }: { readonly children: string }): ReactElement => (
  <code className="inline-block min-w-44 text-xs break-all">{children}</code>
);

const UNITS = ['kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** A number of bytes in powers of a thousand: `68.4 GB`. */
export function bytes(count: number): string {
  let [value, unit] = [count / 1_000, 0];
  for (; value >= 1_000 && unit < UNITS.length - 1; unit += 1) value /= 1_000;
  return `${unit === 0 ? Math.ceil(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** A place in the log without the zeros that make places sort as text. */
export const positionOf = (position: string): string => position.replace(/^0+(?=\d)/, '');

/** @param ms milliseconds */
export const duration = (ms: number): string =>
  ms < 1_000
    ? `${MEASURE.format(ms)} ms`
    : ms < 120_000
      ? `${MEASURE.format(ms / 1_000)} s`
      : `${NUMBER.format(Math.round(ms / 60_000))} min`;

/** A large number with its label, in a strip of them (`<dl className="metrics">`). */
export const Figure = ({
  label,
  value,
  note,
}: {
  readonly label: string;
  readonly value: string;
  readonly note?: string;
}): ReactElement => (
  <div className="metric">
    <dt>{label}</dt>
    <dd className={/^[\d–$<>€-]/.test(value) ? 'figure' : 'figure words'}>{value}</dd>
    {note && <dd className="note">{note}</dd>}
  </div>
);
