import type { ProjectionStatus } from '#log/projector/status.js';
import { NO_STREAM, exactly } from '#ports/event-store/port.js';
import { derivedId, envelope } from '#log/execute.js';
import { systemContext } from '#log/context.js';
import { goldenEvents } from '#test/golden/events.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { testEmbedded } from '#test/deployments/test-api.js';
import { chargesByLog, paidByLog } from './reclaiming.js';
import { charges as chargesProjection, chargesId } from '#projections/charges/projection.js';
import { chargesDocuments } from '#projections/charges/queries.js';
import { ReadModelFile } from '#test/support/read-model-file.js';

const MONTH = new Date().toISOString().slice(0, 7);
const CHARGED_TO = `${MONTH}/holder.1`;

describe('the charges of an allotment by the log', () => {
  let api: TestApi;
  let events = 0;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  /** @returns where the charges are then seen */
  async function append(type: 'call-opened.v1' | 'call-metered.v1', inferenceId: string): Promise<string> {
    const sample = goldenEvents.find((event) => event.type === type)!;
    const data = { ...sample.data, inferenceId, teamId: 't1', chargedTo: CHARGED_TO, costPicodollars: '7' };
    const stream = 'metered-2030-01-01-test';
    const event = envelope(stream, { type, data }, 0, systemContext('test', 'w1', derivedId(type, inferenceId)));
    const { position } = await api.application.ports.eventStore.append(
      stream,
      events === 0 ? NO_STREAM : exactly(events - 1),
      [event],
    );
    events += 1;
    await api.application.visibility.wait([chargesDocuments.collection], position);
    return position;
  }

  const spent = (position: string, values: Partial<ProjectionStatus> = {}, holder = 'holder.1') => {
    const status = {
      name: 'charges',
      version: chargesProjection.version,
      state: 'live',
      parked: 0,
      position,
      ...values,
    } as ProjectionStatus;
    return chargesByLog(api.application, async () => [status]).spent('t1', MONTH, holder, 0n);
  };

  const paid = async () => {
    const months = paidByLog(api.application);
    return { seen: await months.seen('t1', MONTH), byLog: await months.byHolder('t1', MONTH) };
  };

  it('are known once every call on the log has been seen and none is open', async () => {
    const opened = await append('call-opened.v1', 'i1');
    expect(await spent(opened)).toBeNull();
    const metered = await append('call-metered.v1', 'i1');
    expect(await spent(metered)).toBe(7n);
    expect(await spent(opened)).toBeNull();
    expect(await spent(metered, { state: 'rebuilding' })).toBeNull();
    expect(await spent(metered, { parked: 1 })).toBeNull();
    expect(await paid()).toEqual({ seen: new Map([['holder.1', 7n]]), byLog: new Map([['holder.1', 7n]]) });
  });

  testEmbedded('are those of the log where the read model was changed', 'it changes a file', async () => {
    const position = (await api.application.ports.eventStore.head()).position!;
    const document = chargesId('t1', MONTH, 'holder.1');
    const charges = new ReadModelFile(api, 'charges');
    await charges.change(document, { cost: '3' });
    expect(await paid()).toEqual({ seen: new Map([['holder.1', 3n]]), byLog: new Map([['holder.1', 7n]]) });
    expect(await spent(position)).toBe(7n);
    await charges.change(document, { cost: '7' });
  });

  testEmbedded(
    'are unknown while the opening of a call that it pays for is held',
    'only SQLite holds openings',
    async () => {
      const { ports, storedEvents } = api.application;
      const position = (await ports.eventStore.head()).position!;
      const before = await spent(position);
      const { data } = goldenEvents.find(({ type }) => type === 'call-opened.v1')!;
      const opened = { ...data, teamId: 't1', chargedTo: CHARGED_TO };
      const opening = envelope(
        'metered-held',
        { type: 'call-opened.v1', data: opened },
        0,
        systemContext('test', 'w1'),
      );
      await storedEvents.held!.hold([{ ...opening, stream: 'metered-held' }]);
      expect([before, await spent(position)]).toEqual([7n, null]);
      expect(await spent(position, {}, 'another.1')).toBe(0n);
      const end = { ...opening, id: derivedId('held', 'end'), type: 'project-deleted.v1' };
      await storedEvents.append('project-held', NO_STREAM, [end], [opening.id]);
      expect(await spent((await ports.eventStore.head()).position!)).toBe(7n);
    },
  );

  it('are unknown while no worker leads the read models', async () => {
    const charges = chargesByLog(api.application, () => Promise.reject(new Error('nobody leads')));
    expect(await charges.spent('t1', MONTH, 'holder.1', 0n)).toBeNull();
  });

  it('are zero if it paid for no call', async () => {
    const position = (await api.application.ports.eventStore.head()).position!;
    expect(await spent(position, {}, 'another.1')).toBe(0n);
  });

  it('are read once for all allotments of a process, and then on', async () => {
    const status = { name: 'charges', version: chargesProjection.version, state: 'live', parked: 0 };
    const read = chargesByLog(api.application, async () => [
      { ...status, position: '9'.repeat(20) } as ProjectionStatus,
    ]);
    const both = async () => [
      await read.spent('t1', MONTH, 'holder.1', 0n),
      await read.spent('t1', MONTH, 'holder.2', 0n),
    ];
    expect(await both()).toEqual([7n, 0n]);
    await append('call-metered.v1', 'i2');
    expect(await both()).toEqual([14n, 0n]);
  });
});
