import type { ReactElement } from 'react';

/** Made at the first use. The first format of dates takes 50 ms: they pass while the page's first requests are answered. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
function dates(options: Intl.DateTimeFormatOptions): (moment: Date) => string {
  const format = once(() => new Intl.DateTimeFormat(undefined, options));
  return (moment) => format().format(moment);
}
function numbers(options: Intl.NumberFormatOptions): (value: number) => string {
  const format = once(() => new Intl.NumberFormat(undefined, options));
  return (value) => format().format(value);
}

/** Time zone of the browser, in which times are shown. */
export const zone = once(() => Intl.DateTimeFormat().resolvedOptions().timeZone);

const inMoment = dates({ dateStyle: 'medium', timeStyle: 'short' });
const inThisYear = dates({ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
const inClock = dates({ timeStyle: 'short' });
const inPreciseClock = dates({ timeStyle: 'medium' });
const inPrecise = dates({ dateStyle: 'medium', timeStyle: 'medium' });
const inDay = dates({ dateStyle: 'medium' });
/** What is measured varies by more than its fourth digit. */
const measured = numbers({ maximumSignificantDigits: 3 });
const USD = { style: 'currency', currency: 'USD' } as const;
const inDollars = numbers({ ...USD, maximumFractionDigits: 2 });
const inSmallDollars = numbers({ ...USD, maximumFractionDigits: 7 });
const inAboutDollars = numbers({ ...USD, maximumSignificantDigits: 3 });

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
    <time dateTime={at} title={`${new Date(at).toISOString()} · shown in ${zone()}`}>
      {saidOf(new Date(at), day, seconds)}
    </time>
  ) : (
    <>never</>
  );

/** A day, for texts in which no element fits. */
export const day = (at: string): string => inDay(new Date(at));

function saidOf(moment: Date, isDay: boolean, seconds: boolean): string {
  if (isDay) return inDay(moment);
  const now = new Date();
  if (moment.toDateString() === now.toDateString()) return `today ${(seconds ? inPreciseClock : inClock)(moment)}`;
  if (seconds) return inPrecise(moment);
  return (moment.getFullYear() === now.getFullYear() ? inThisYear : inMoment)(moment);
}

export const number = numbers({ maximumFractionDigits: 3 });
/** A number of things with their name: `1 row`, `700 rows`. @param name of one; its plural ends in -s */
export const counted = (count: number, name: string): string => `${number(count)} ${name}${count === 1 ? '' : 's'}`;
export const percent = numbers({ style: 'percent', maximumFractionDigits: 1 });

/** US dollars, with as many digits as a small price needs. */
export const dollars = (amount: number): string =>
  (amount !== 0 && Math.abs(amount) < 1 ? inSmallDollars : inDollars)(amount);

/** US dollars to three digits, for a figure that is read at a glance. */
export const aboutDollars = (amount: number): string =>
  Math.abs(amount) >= 1 ? dollars(amount) : inAboutDollars(amount);

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
    ? `${measured(ms)} ms`
    : ms < 120_000
      ? `${measured(ms / 1_000)} s`
      : `${number(Math.round(ms / 60_000))} min`;

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
