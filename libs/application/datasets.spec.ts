import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { datasetDecider, type DatasetCommand, type DatasetEvent } from '#domain/dataset/index.js';
import { DomainError } from '#domain/errors.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { Application } from './application.js';
import { systemContext } from '#log/context.js';
import { BENCHMARKS, claimDatasetVersion, datasetStreamId, releaseDatasetClaim, seenVersions } from './datasets.js';
import type { Ports } from './ports.js';

const workspaceId = 'w1';
const contents = {
  rows: 1,
  heads: ['entities'],
  labels: ['x'],
  entityLabels: ['x'],
  classLabels: [],
  multiLabel: false,
  format: 'jsonl',
  columns: ['text'],
} as const;
const object = { key: 'rows', size: 1, sha256: 'aa' };

describe('datasets under concurrent commands', () => {
  let directory: string;
  let application: Application;
  let close: () => Promise<void>;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'datasets-'));
    const eventStore = await openSqliteEventStore({ directory, durability: 'normal' });
    const bus = new InProcessBus();
    application = new Application({ eventStore, bus } as unknown as Ports);
    close = async () => {
      await application.close();
      await bus.close();
      await eventStore.close();
    };
  });
  afterAll(async () => {
    await close();
    await rm(directory, { recursive: true });
  });

  const decide = (name: string, command: DatasetCommand, owner = workspaceId) =>
    application.execute(datasetDecider, datasetStreamId(owner, name), command, systemContext('test', owner));

  /** A ready version. @returns its id */
  async function ready(name: string, owner = workspaceId): Promise<string> {
    const initialize = {
      type: 'initialize-version',
      workspaceId: owner,
      name,
      datasetType: 'ner',
      format: null,
      fileName: null,
      columnMapping: {},
      projectId: null,
    } as const;
    const { versionId } = (await decide(name, initialize, owner)).state.versions.at(-1)!;
    const of = { workspaceId: owner, versionId };
    await decide(name, { type: 'seal-version', ...of, source: object }, owner);
    await decide(name, { type: 'start-conversion', ...of, attempt: 1, worker: 'w' }, owner);
    await decide(name, { type: 'start-validation', ...of, attempt: 1 }, owner);
    await decide(name, { type: 'complete-version', ...of, attempt: 1, contents, object }, owner);
    return versionId;
  }

  const claim = (name: string, id: string, version?: number) =>
    claimDatasetVersion(
      application,
      { workspaceId, name, claimant: { kind: 'job', id }, ...(version !== undefined && { version }) },
      systemContext('test', workspaceId),
    );

  /** A step of a client or a worker, and whether it was refused. */
  type Step =
    | { readonly do: 'claim'; readonly job: number; readonly version: number | null }
    | { readonly do: 'release'; readonly job: number }
    | { readonly do: 'delete'; readonly version: number }
    | { readonly do: 'delete-all' | 'restore' | 'begin' };
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({
      do: fc.constant('claim' as const),
      job: fc.nat({ max: 3 }),
      version: fc.constantFrom(1, 2, 3, null),
    }),
    fc.record({ do: fc.constant('release' as const), job: fc.nat({ max: 3 }) }),
    fc.record({ do: fc.constant('delete' as const), version: fc.constantFrom(1, 2, 3) }),
    fc.record({ do: fc.constantFrom('delete-all' as const, 'restore' as const, 'begin' as const) }),
  );

  async function run(name: string, each: Step): Promise<void> {
    const context = systemContext('test', workspaceId);
    switch (each.do) {
      case 'claim':
        return void (await claim(name, `j${each.job}`, each.version ?? undefined));
      case 'release': {
        const claimant = { kind: 'job', id: `j${each.job}` } as const;
        return releaseDatasetClaim(application, { workspaceId, name, claimant }, context);
      }
      case 'delete': {
        const { versions } = await application.load(datasetDecider, datasetStreamId(workspaceId, name));
        const version = versions.find(({ versionNumber }) => versionNumber === each.version);
        if (version) await decide(name, { type: 'delete-version', workspaceId, versionId: version.versionId });
        return;
      }
      case 'delete-all':
        return void (await decide(name, { type: 'delete-dataset', name }));
      case 'restore':
        return void (await decide(name, { type: 'restore-versions', name, requested: 'all' }));
      case 'begin':
        return void (await ready(name));
    }
  }

  /** Asserts what must hold when the log is read from its start. */
  async function check(name: string): Promise<void> {
    const claims = new Map<string, Set<string>>();
    const deleted = new Set<string>();
    const numbers: number[] = [];
    for await (const recorded of application.ports.eventStore.readStream(
      `dataset-${datasetStreamId(workspaceId, name)}`,
    )) {
      const event = recorded as unknown as DatasetEvent;
      if (event.type === 'dataset-version-initialized.v1') numbers.push(event.data.versionNumber);
      if (event.type === 'dataset-version-claimed.v1') {
        const { versionId, claimantId } = event.data;
        expect(deleted).not.toContain(versionId);
        claims.set(versionId, (claims.get(versionId) ?? new Set<string>()).add(claimantId));
      }
      if (event.type === 'dataset-claims-released.v1')
        for (const holders of claims.values()) holders.delete(event.data.claimantId);
      if (event.type === 'dataset-version-deleted.v1') {
        expect([...(claims.get(event.data.versionId) ?? [])]).toEqual([]);
        expect(deleted).not.toContain(event.data.versionId);
        deleted.add(event.data.versionId);
      }
      if (event.type === 'dataset-version-restored.v1') expect(deleted.delete(event.data.versionId)).toBe(true);
    }
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  }

  it('never claim a deleted version, delete a claimed one or reuse a number, in any order', async () => {
    let serial = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 6 }), async (rounds) => {
        const name = `set ${(serial += 1)}`;
        for (let version = 1; version <= 3; version += 1) await ready(name);
        for (const atOnce of rounds) {
          const outcomes = await Promise.allSettled(atOnce.map((each) => run(name, each)));
          for (const outcome of outcomes)
            if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(DomainError);
        }
        await check(name);
      }),
      { numRuns: 40 },
    );
  });

  it('claim or delete a version if both are requested at once, never both', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 30; round += 1) {
      const name = `race ${round}`;
      const versionId = await ready(name);
      const both = [() => claim(name, 'j1'), () => decide(name, { type: 'delete-version', workspaceId, versionId })];
      const settled = await Promise.allSettled((round % 2 ? both : both.toReversed()).map((each) => each()));
      const [claimed, deleted] = round % 2 ? settled : settled.toReversed();
      expect([claimed!.status, deleted!.status].toSorted()).toEqual(['fulfilled', 'rejected']);
      outcomes.add(claimed!.status);
    }
    expect([...outcomes].toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it("show a benchmark until the workspace has a dataset of that name, and never another workspace's dataset", async () => {
    await ready('known', BENCHMARKS);
    const owners = async (workspace: string) =>
      (await seenVersions(application, workspace, 'known')).map((version) => version.workspaceId);
    expect([await owners('w1'), await owners('w2')]).toEqual([[BENCHMARKS], [BENCHMARKS]]);
    await ready('known');
    expect([await owners('w1'), await owners('w2')]).toEqual([['w1'], [BENCHMARKS]]);
    await decide('known', { type: 'delete-dataset', name: 'known' });
    expect(await owners('w1')).toEqual([BENCHMARKS]);
    expect(await seenVersions(application, 'w1', 'unknown')).toEqual([]);
  });

  it('pin a benchmark for evaluations without a claim, but not for jobs', async () => {
    await ready('held out', BENCHMARKS);
    const request = (kind: 'job' | 'evaluation') =>
      claimDatasetVersion(
        application,
        { workspaceId, name: 'held out', claimant: { kind, id: 'c' } },
        systemContext('test', workspaceId),
      );
    expect(await request('evaluation')).toMatchObject({ name: 'held out', versionNumber: 1, rows: 1 });
    await expect(request('job')).rejects.toThrow('is a benchmark');
    const { claims } = await application.load(datasetDecider, datasetStreamId(BENCHMARKS, 'held out'));
    expect(claims).toEqual([]);
  });
});
