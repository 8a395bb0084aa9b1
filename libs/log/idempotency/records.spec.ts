import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Coordination } from '#ports/coordination/port.js';
import { coordinationService, openSqliteCoordination } from '#ports/coordination/sqlite/index.js';
import { reportedBackground } from '#primitives/background/reported.fixture.js';
import { startThread, type Thread } from '#primitives/thread/thread.js';
import { eventually } from '#test/support/eventually.js';
import { IdempotencyRecords, LEASE_MS, REMEMBERED_MS, type BegunRequest, type Run } from './records.js';

const T0 = 1_900_000_000_000;

describe('the record of an idempotency key', () => {
  let directory: string;
  let thread: Thread;
  let coordination: Coordination;
  let clock: number;
  let records: IdempotencyRecords;
  beforeEach(async () => {
    clock = T0;
    directory = await mkdtemp(join(tmpdir(), 'anneal-keys-'));
    thread = await startThread([coordinationService({ directory, durability: 'normal' })]);
    coordination = openSqliteCoordination({ directory, thread, now: () => clock });
    records = new IdempotencyRecords(coordination, { now: () => clock });
  });
  afterEach(async () => {
    await coordination.close();
    await thread.close();
    await rm(directory, { recursive: true });
  });

  const begin = (fingerprint = 'f') => records.begin('w:key', fingerprint);
  const running = async (fingerprint?: string) => runOf(await begin(fingerprint));
  function runOf(begun: BegunRequest): Run {
    if (begun.kind !== 'go') throw new Error(begun.kind);
    return begun.run;
  }

  it('done: a repeat runs with the command id of the first request', async () => {
    const first = await running();
    expect(first.repeated).toBe(false);
    await first.finish(200);
    expect(await running()).toMatchObject({ commandId: first.commandId, repeated: true });
    expect(await begin('other')).toEqual({ kind: 'other-request' });
  });

  it('running: neither a repeat nor another request may start', async () => {
    const first = await running();
    expect(await begin()).toEqual({ kind: 'running' });
    expect(await begin('other')).toEqual({ kind: 'other-request' });
    await first.finish(200);
  });

  it('refused: the key is free, also for another request', async () => {
    const first = await running();
    await first.finish(422);
    const next = await running('other');
    expect(next.repeated).toBe(false);
    expect(next.commandId).not.toBe(first.commandId);
    await next.finish(200);
  });

  it('passes an unknown outcome to the next run, whose refusal does not free the key', async () => {
    const first = await running();
    await first.finish(503);
    const second = await running();
    expect(second).toMatchObject({ commandId: first.commandId, repeated: true });
    await second.finish(409);
    expect(await running()).toMatchObject({ commandId: first.commandId, repeated: true });
    expect(await begin('other')).toEqual({ kind: 'other-request' });
  });

  it('is taken over once the lease of a dead first request has ended, and then protected from it', async () => {
    const first = await running();
    clock += LEASE_MS - 1;
    expect(await begin()).toEqual({ kind: 'running' });
    clock += 1;
    const second = await running();
    expect(second).toMatchObject({ commandId: first.commandId, repeated: true });
    await second.finish(200);
    await first.finish(422);
    expect(await running()).toMatchObject({ commandId: first.commandId, repeated: true });
  });

  it('stays done, whatever a repeat returns', async () => {
    await (await running()).finish(200);
    await (await running()).finish(404);
    expect(await running()).toMatchObject({ repeated: true });
  });

  it('is forgotten a day after the first request', async () => {
    const first = await running();
    clock += LEASE_MS;
    await (await running()).finish(200);
    clock = T0 + REMEMBERED_MS - 1;
    expect(await running()).toMatchObject({ commandId: first.commandId });
    clock += 1;
    expect((await running('other')).commandId).not.toBe(first.commandId);
  });

  it('keeps its lease during a long request', async () => {
    const brief = new IdempotencyRecords(coordination, { leaseMs: 30, now: () => clock });
    const untilOf = async () => ((await coordination.get('idempotency:w:key'))?.value as { until: number }).until;
    const first = runOf(await brief.begin('w:key', 'f'));
    const before = await untilOf();
    clock += 20;
    await eventually(untilOf, (until) => until !== before);
    clock += 20;
    expect(await brief.begin('w:key', 'f')).toEqual({ kind: 'running' });
    await first.finish(200);
  });

  it('keeps what cannot be written for the next repeat, and the operator sees the failure', async () => {
    const { lines, background } = reportedBackground();
    let failures = 0;
    const failing = Object.assign(Object.create(coordination) as Coordination, {
      compareAndSet: async (...args: Parameters<Coordination['compareAndSet']>) => {
        if ((args[2] as { until: number }).until === T0 + LEASE_MS) return coordination.compareAndSet(...args);
        failures += 1;
        throw new Error('away');
      },
    });
    const records = new IdempotencyRecords(failing, { now: () => clock, background });
    const first = runOf(await records.begin('w:key', 'f'));
    clock += 1;
    await eventually(() => lines.length > 0);
    await first.finish(200);
    expect(lines).toEqual(['extend-idempotency-lease: away', 'end-idempotent-request: away']);
    expect(failures).toBe(1);
    clock += LEASE_MS;
    expect(await running()).toMatchObject({ commandId: first.commandId, repeated: true });
  });

  it('admits exactly one first request among many concurrent ones', async () => {
    const replicas = [records, new IdempotencyRecords(coordination, { now: () => clock })];
    const begun = await Promise.all(Array.from({ length: 30 }, (_, n) => replicas[n % 2]!.begin('w:key', 'f')));
    expect(begun.map(({ kind }) => kind).toSorted()).toEqual(['go', ...Array<string>(29).fill('running')]);
    for (const each of begun) if (each.kind === 'go') await each.run.finish(200);
  });

  it('contains neither the body nor the key', async () => {
    await (await running()).finish(200);
    const [entry] = await coordination.list('idempotency:', 2);
    expect(Object.keys(entry!.value as object).toSorted()).toEqual(
      ['commandId', 'fingerprint', 'phase', 'startedAt', 'status', 'until'].toSorted(),
    );
  });
});
