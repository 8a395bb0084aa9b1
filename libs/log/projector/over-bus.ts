import type { Bus, Subscription } from '#ports/bus/port.js';
import type { Json } from '#domain/json.js';
import { askLeader } from '#log/leadership/ask-leader.js';
import type { Projections } from './thread/start.js';

/** The bus subject on which the leader of the projections answers. */
const SUBJECT = 'operate.projections';
const DEADLINE_MS = 5_000;

/** Serves queries about the projections while this process leads them. */
export function serveProjections(bus: Bus, projections: Projections): Subscription {
  return bus.serve(SUBJECT, async (body) => {
    const [method, name, key] = body as readonly string[];
    return ((await operate(projections, method, name, key)) ?? null) as Json;
  });
}

async function operate(projections: Projections, method = '', name = '', key?: string): Promise<unknown> {
  switch (method) {
    case 'status':
      return projections.status();
    case 'parked':
      return projections.parked();
    case 'rebuild':
      return projections.rebuild(name);
    case 'retry':
      return projections.retry(name, key);
    default:
      throw new Error(`the worker does not know projections.${method}; is it another version?`);
  }
}

/**
 * The projections, wherever they are led.
 * @throws NoLeaderError from each method while no worker leads them; what else the bus throws
 */
export function projectionsOverBus(bus: Bus, deadlineMs = DEADLINE_MS): Projections {
  const absent = 'no worker leads the projections now';
  const ask = async <T>(...body: string[]): Promise<T> =>
    (await askLeader(bus, { subject: SUBJECT, body, deadlineMs, absent })) as T;
  return {
    status: () => ask('status'),
    parked: () => ask('parked'),
    rebuild: (name) => ask('rebuild', name),
    retry: (name, key) => (key === undefined ? ask('retry', name) : ask('retry', name, key)),
  };
}
