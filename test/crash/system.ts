import { setTimeout as sleep } from 'node:timers/promises';
import { clientsOf, inferring, type Load, type Target } from '../faults/support/loads.js';
import { ask, type Outcome } from '../faults/support/requests.js';

/** The name that is promoted, improved and rolled back. */
export const MODEL = 'tickets';

/** What clients were told, by what they asked of: a call's id, or a reason that no other request has. */
export interface Heard {
  readonly calls: ReadonlyMap<string, Outcome>;
  readonly corrected: ReadonlyMap<string, Outcome>;
  readonly erased: ReadonlyMap<string, Outcome>;
  readonly promoted: ReadonlyMap<string, Outcome>;
  readonly improved: ReadonlyMap<string, Outcome>;
}

/** Clients that call, correct, erase, promote and improve, one thing after another, whatever happens to the system. */
export function everything(target: Target): Load & Heard {
  const calls = inferring(target, 2);
  const [corrected, erased, promoted, improved] = Array.from({ length: 4 }, () => new Map<string, Outcome>());
  const send = async (method: string, path: string, body?: object): Promise<Outcome> => {
    const [url] = target.urls();
    if (url !== undefined) return ask(url, target.key, method, path, body);
    await sleep(50);
    return { kind: 'broken', reason: 'no API runs', seconds: 0 };
  };
  /** A call that was answered and that is not taken yet. */
  const taken = new Set<string>();
  const next = () => {
    for (const outcome of calls.told.values()) {
      const id = succeeded(outcome) ? String(outcome.body.inference_id) : '';
      if (id !== '' && !taken.has(id)) {
        taken.add(id);
        return id;
      }
    }
    return null;
  };
  const ofCall = async (told: Map<string, Outcome>, act: (id: string) => Promise<Outcome>) => {
    const id = next();
    if (id !== null) told.set(id, await act(id));
  };
  const loads = [
    calls,
    clientsOf(1, () => ofCall(corrected!, (id) => send('POST', `/inferences/${id}/feedback`, { verdict: 'correct' }))),
    clientsOf(1, () => ofCall(erased!, (id) => send('DELETE', `/inferences/${id}`))),
    clientsOf(1, async (turn) => {
      const version = 1 + (Number(turn.split('-')[1]) % 2);
      promoted!.set(turn, await send('PUT', `/models/${MODEL}/versions/${version}/promote`, { reason: turn }));
    }),
    clientsOf(1, async (turn) => {
      improved!.set(turn, await send('POST', `/models/${MODEL}/improve`, { dataset_name: 'corrected' }));
      await sleep(500);
    }),
  ];
  return {
    ...{ calls: calls.told, corrected: corrected!, erased: erased!, promoted: promoted!, improved: improved! },
    async stop() {
      await Promise.all(loads.map((load) => load.stop()));
    },
  };
}

export const succeeded = (outcome: Outcome): outcome is Extract<Outcome, { kind: 'answered' }> =>
  outcome.kind === 'answered' && outcome.status === 200;
