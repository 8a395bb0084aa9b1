import type { CallMetered } from '#domain/inference/index.js';
import type { EventReader, Position } from '#ports/event-store/port.js';
import { chargeOf, type Charge } from './credits-log.js';

/** Events are not in the order of their times: a call has the time at which it began, and clocks differ. */
const TOLERANCE_MS = 24 * 3_600_000;

const CALLS = { types: ['call-metered.v1'] };

/** A place to read on from, or a time in milliseconds since 1970 to read back to. */
type Span = { readonly after: Position | null } | { readonly backTo: number };

/** Reads the charges of calls on the log. @returns the position of the last call that was read */
async function readCharges(
  eventStore: EventReader,
  span: Span,
  add: (charge: Charge) => void,
): Promise<Position | null> {
  const isBack = 'backTo' in span;
  let last = isBack ? null : span.after;
  const options = isBack ? ({ direction: 'backwards' } as const) : span;
  for await (const event of eventStore.readAll({ ...options, filter: CALLS })) {
    if (last === null || event.position > last) last = event.position;
    if (isBack && Date.parse(event.metadata.occurredAt) < span.backTo - TOLERANCE_MS) break;
    const charge = chargeOf((event as unknown as CallMetered).data);
    if (charge) add(charge);
  }
  return last;
}

/** What the allotments of a month of a team have paid, in picodollars by holder, by the calls on the log since the month began. */
export async function paidInMonth(
  eventStore: EventReader,
  teamId: string,
  month: string,
): Promise<ReadonlyMap<string, bigint>> {
  const paid = new Map<string, bigint>();
  await readCharges(eventStore, { backTo: Date.parse(`${month}-01`) }, ({ holder, cost, ...of }) => {
    if (of.teamId === teamId && of.month === month) paid.set(holder, (paid.get(holder) ?? 0n) + cost);
  });
  return paid;
}

interface PaidByProcess {
  readonly process: string;
  /** By team, month and holder. */
  readonly paid: Map<string, bigint>;
  readonly seen: Position | null;
}

/**
 * What allotments of a process have paid, by the calls on the log. These are read once for all allotments of the process, back to its
 * start, and then on from there.
 */
export class ChargesOfProcess {
  private last: PaidByProcess | null = null;

  constructor(private readonly eventStore: EventReader) {}

  /** In picodollars. */
  async of(allotment: Omit<Charge, 'cost'>): Promise<bigint> {
    const process = processOf(allotment.holder);
    const known = this.last?.process === process ? this.last : null;
    const paid = new Map(known?.paid);
    const span = known ? { after: known.seen } : { backTo: startOf(process) };
    const seen = await readCharges(this.eventStore, span, (charge) => {
      if (processOf(charge.holder) === process) paid.set(keyOf(charge), (paid.get(keyOf(charge)) ?? 0n) + charge.cost);
    });
    this.last = { process, paid, seen };
    return paid.get(keyOf(allotment)) ?? 0n;
  }
}

const keyOf = ({ teamId, month, holder }: Omit<Charge, 'cost'>): string => `${teamId}/${month}/${holder}`;

/** Holders are named `<process>.<number>`. */
const processOf = (holder: string): string => holder.split('.', 1)[0]!;

/** When a process began, which its name tells (UUIDv7, RFC 9562); NaN, of which nothing is earlier, for another name. */
const startOf = (process: string): number => Number.parseInt(process.replace('-', '').slice(0, 12), 16);
