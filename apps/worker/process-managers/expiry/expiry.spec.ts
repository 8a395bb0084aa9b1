import { retentionDecider, type HoldScope, type RetentionKind } from '#domain/retention/index.js';
import { systemContext } from '#application/context.js';
import { evolve } from '#log/projector/handlers.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { expiry } from './process-manager.js';

const DAY_MS = 24 * 60 * 60_000;

describe('the expiry of contents', () => {
  let api: TestApi;
  let workspaceId: string;
  beforeEach(async () => {
    api = await startTestApi({ rateLimits: false });
    workspaceId = (await api.call('GET', '/account')).body.workspace_id;
  });
  afterEach(() => api.close());

  const decide = (command: Parameters<typeof retentionDecider.decide>[0]) =>
    api.application.execute(retentionDecider, workspaceId, command, systemContext('test', workspaceId));
  // Not by HTTP, so that the worker of the system, whose clock is today's, has nothing to do.
  const keep = (kind: RetentionKind, days: number) =>
    decide({ type: 'set-retention', workspaceId, kind, days, bounds: { floorDays: 1, ceilingDays: null } });
  const hold = (covers: HoldScope) =>
    decide({ type: 'place-hold', workspaceId, holdId: 'h1', covers, reason: 'case 4' });
  /** Runs a leader whose clock is so many days ahead. @returns what was recorded */
  const passed = async (days: number) => {
    const { eventStore } = api.application.ports;
    const manager = expiry(api.application);
    const now = Date.now() + days * DAY_MS;
    let state = manager.initial;
    for await (const event of eventStore.readAll()) state = evolve(manager.on, state, event);
    const due = manager.pending(state, now);
    for (const pass of due) await manager.execute(pass, AbortSignal.timeout(60_000));
    await api.drained();
    const day = new Date(now).toISOString().slice(0, 10);
    if (due.length === 0) return [];
    const events = await Array.fromAsync(eventStore.readStream(`expiry-${workspaceId}-${day}`));
    return events.map(({ data: { kind, erased, held, inUse } }) => ({ kind, erased, held, inUse }));
  };
  const recorded = async (): Promise<string> => {
    const call = { model_id: 'anneal/encoder-base-v1', text: 'Ada in Lyon', schema: ['city'] };
    const { body } = await api.call('POST', '/inference', call);
    await api.drained();
    return body.inference_id;
  };
  const inputOf = async (id: string) => (await api.call('GET', `/inferences/${id}`)).body.input as unknown;

  it('erases calls after their retention period, once a day, and reports how many', async () => {
    const ids = [await recorded(), await recorded()];
    expect(await passed(1000)).toEqual([]);
    await keep('calls', 200);
    expect(await passed(199)).toEqual([{ kind: 'calls', erased: 0, held: 0, inUse: 0 }]);
    for (const id of ids) expect(await inputOf(id)).not.toBe(null);
    expect(await passed(201)).toEqual([{ kind: 'calls', erased: 2, held: 0, inUse: 0 }]);
    for (const id of ids) expect(await inputOf(id)).toBe(null);
    expect(await passed(201)).toEqual([]);
    expect(await passed(202)).toEqual([{ kind: 'calls', erased: 0, held: 0, inUse: 0 }]);
  });

  it('keeps what is on hold, and erases it after the hold is released', async () => {
    const [held, other] = [await recorded(), await recorded()];
    await keep('calls', 200);
    await hold({ kind: 'call', id: held, version: null });
    expect(await passed(201)).toEqual([{ kind: 'calls', erased: 1, held: 1, inUse: 0 }]);
    expect([await inputOf(held), await inputOf(other)]).toEqual([expect.anything(), null]);
    await decide({ type: 'release-hold', workspaceId, holdId: 'h1', reason: 'settled' });
    expect(await passed(202)).toEqual([{ kind: 'calls', erased: 1, held: 0, inUse: 0 }]);
    expect(await inputOf(held)).toBe(null);
  });

  it('erases versions of datasets, deleted or not, each once', async () => {
    const row = JSON.stringify({ text: 'Paris', entities: [['Paris', 'city']] });
    for (const name of ['stays', 'deleted']) await uploadDataset(api, { dataset_name: name }, row);
    await api.call('DELETE', '/felix/datasets/deleted/1');
    await keep('dataset_versions', 10);
    expect(await passed(9)).toEqual([{ kind: 'dataset_versions', erased: 0, held: 0, inUse: 0 }]);
    expect(await passed(11)).toEqual([{ kind: 'dataset_versions', erased: 2, held: 0, inUse: 0 }]);
    expect(await passed(12)).toEqual([{ kind: 'dataset_versions', erased: 0, held: 0, inUse: 0 }]);
    expect((await api.call('GET', '/felix/datasets/stays/1')).status).toBe(404);
    const left = await Array.fromAsync(api.application.ports.objectStore.list(`datasets/${workspaceId}/`));
    expect(left).toEqual([]);
  });

  it('resumes the work of an earlier leader', async () => {
    const ids = [await recorded(), await recorded()];
    await keep('calls', 200);
    const manager = expiry(api.application);
    const now = Date.now() + 201 * DAY_MS;
    let state = manager.initial;
    for await (const event of api.application.ports.eventStore.readAll()) state = evolve(manager.on, state, event);
    const cut = new AbortController();
    const execute = api.application.execute.bind(api.application);
    // Others of the system execute beside this one.
    api.application.execute = (...args) => {
      if ((args[2] as { readonly type?: string }).type === 'erase-content') cut.abort();
      return execute(...args);
    };
    await expect(manager.execute(manager.pending(state, now)[0]!, cut.signal)).rejects.toThrow();
    api.application.execute = execute;
    await api.drained();
    const inputs = await Promise.all(ids.map(inputOf));
    expect(inputs.filter((input) => input === null)).toHaveLength(1);
    expect(await passed(201)).toEqual([{ kind: 'calls', erased: 1, held: 0, inUse: 0 }]);
  });
});

describe("the operator's retention ceiling", () => {
  it('expires contents of every workspace', async () => {
    const api = await startTestApi({ retentionCeilingDays: 400 });
    const manager = expiry(api.application);
    let state = manager.initial;
    for await (const event of api.application.ports.eventStore.readAll()) state = evolve(manager.on, state, event);
    expect(
      manager.pending(state, Date.parse('2999-01-01')).map(({ kind, before }) => [kind, before.slice(0, 10)]),
    ).toEqual([
      ['calls', '2997-11-27'],
      ['dataset_versions', '2997-11-27'],
    ]);
    await api.close();
  });
});
