import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemContext } from '#log/context.js';
import { PROJECTION_ADVANCED, type ProjectionAdvanced } from '#log/visibility.js';
import { createApi } from '#apps/api/create-api.js';
import type { HealthReport } from '#primitives/health/health.js';
import { createLogger } from '#primitives/logging/logger.js';
import { compose, type System } from '#apps/composition/compose.js';
import { projectDecider } from '#domain/project/index.js';
import { MONOTONIC, SOLE, type Clock, type LeaseOptions, type Leases } from '#log/leadership/index.js';
import { Settings } from '#settings/index.js';
import { NoLeaderError } from '#log/leadership/ask-leader.js';
import { workHealth } from '#apps/composition/work-health.js';
import { projectionsOverBus } from '#log/projector/over-bus.js';
import { eventually } from '#test/support/eventually.js';
import { startWorker, type Worker } from './start-worker.js';
import { ENGINES } from '#gpu-runner/engines/engines.js';
import { projectDocuments } from '#projections/projects/queries.js';

/** The lease term. A follower asks four times per term. */
const SHORT_TERM = 2_000;
/** A leader keeps its lease for all of a test, however slow the machine is. */
const LONG_TERM = 600_000;

describe('workers', () => {
  let dataDir: string;
  let system: System;
  let workers: Worker[];
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-workers-'));
    system = await compose(new Settings({ dataDir, durability: 'normal' }));
    workers = [];
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await system.close();
    await rm(dataDir, { recursive: true });
  });

  const start = (holder: string, lease: Partial<LeaseOptions> = {}): Worker => {
    const { application, locations, contentKeys } = system;
    const places = { eventLog: locations.eventStore, contentKeys, readStore: locations.readStore };
    const leases = application.ports.coordination;
    const worker = startWorker({ application, ...places, leases, holder, termMs: LONG_TERM, ...lease });
    workers.push(worker);
    return worker;
  };
  const stop = async (worker: Worker): Promise<void> => {
    workers.splice(workers.indexOf(worker), 1);
    await worker.close();
  };
  const roles = (worker: Worker) => worker.leaderships().map(({ role }) => role);
  /** A slow machine may make it lose its lease and take it again. */
  const leads = (worker: Worker) => eventually(() => roles(worker).every((role) => role === 'leader'));
  const health = async () => {
    const reports: Record<string, HealthReport> = {};
    for (const source of workHealth(system.bus, system.application.visibility))
      reports[source.name] = await source.check();
    return reports;
  };

  let serial = 0;
  /** @returns the position of its event */
  const createProject = async (): Promise<string> => {
    const projectId = `p${(serial += 1)}`;
    const command = {
      type: 'create-project',
      projectId,
      workspaceId: 'w1',
      name: projectId,
      description: null,
    } as const;
    const context = systemContext('test', 'w1');
    const { position } = await system.application.execute(projectDecider, projectId, command, context);
    return position!;
  };
  /** Resolves when the leader of the projections reports this position. */
  const seen = (position: string): Promise<void> =>
    new Promise((resolve) => {
      const listening = system.bus.listen(PROJECTION_ADVANCED, (body) => {
        const advanced = body as unknown as ProjectionAdvanced;
        if (advanced.collection !== projectDocuments.collection || advanced.position < position) return;
        void listening.stop();
        resolve();
      });
    });
  const names = async () => {
    const query = { where: { workspaceId: 'w1' }, limit: 1_000 };
    return (await projectDocuments.find(system.application.ports.readStore, query)).map(({ id }) => id);
  };

  it('pass the lead to the next when the leader closes', async () => {
    const first = start('first');
    await first.started;
    const second = start('second', { termMs: SHORT_TERM });
    await seen(await createProject());
    expect([roles(first), roles(second)]).toEqual([
      ['leader', 'leader'],
      ['follower', 'follower'],
    ]);
    await stop(first);
    const position = await createProject();
    await seen(position);
    await leads(second);
    expect(await names()).toHaveLength(2);
  });

  it('replace a silently dead leader after its term', async () => {
    const { coordination } = system.application.ports;
    const mortal: Leases = {
      acquireLease: (...args) => coordination.acquireLease(...args),
      releaseLease: async () => undefined,
    };
    const first = start('first', { leases: mortal, termMs: SHORT_TERM });
    await first.started;
    const second = start('second', { termMs: SHORT_TERM });
    await stop(first);
    await seen(await createProject());
    await second.started;
    expect(await names()).toHaveLength(1);
  });

  it('lose nothing when a suspended leader wakes up after another took over', async () => {
    let stopped = false;
    const overdue: (() => void)[] = [];
    const clock: Clock = {
      now: () => MONOTONIC.now(),
      after: (ms, then) => MONOTONIC.after(ms, () => (stopped ? overdue.push(then) : then())),
    };
    const first = start('first', { clock, termMs: SHORT_TERM });
    await first.started;
    stopped = true;
    const second = start('second', { termMs: SHORT_TERM });
    await leads(second);
    expect(roles(first)).toEqual(['leader', 'leader']);
    await seen(await createProject());
    stopped = false;
    for (const then of overdue.splice(0)) then();
    await stop(first);
    await seen(await createProject());
    expect(await names()).toHaveLength(2);
    await leads(second);
  });

  it('write the same documents as a rebuild even if two believe they lead', async () => {
    await Promise.all([start('first', { leases: SOLE }).started, start('second', { leases: SOLE }).started]);
    let last = '';
    for (let block = 0; block < 5; block += 1)
      last = (await Promise.all(Array.from({ length: 20 }, createProject))).toSorted().at(-1)!;
    await seen(last);
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    const { readStore } = system.application.ports;
    const all = () => projectDocuments.find(readStore, { where: { workspaceId: 'w1' }, limit: 1_000 });
    const live = await all();
    expect(live).toHaveLength(100);
    await start('third').started;
    await projectionsOverBus(system.bus).rebuild('projects');
    const next = await createProject();
    await seen(next);
    const rebuilding = async () =>
      (await projectionsOverBus(system.bus).status()).some(({ state }) => state !== 'live');
    await eventually(async () => !(await rebuilding()));
    expect((await all()).slice(0, 100)).toEqual(live);
  });

  it('answer on the bus for the projections while they lead', async () => {
    const projections = projectionsOverBus(system.bus);
    await start('first').started;
    const status = await projections.status();
    expect(status.map(({ name }) => name)).toContain('projects');
    expect(await projections.parked()).toContainEqual({ projection: 'projects', keys: [] });
    expect(await projections.retry('projects')).toBe(0);
    await expect(projections.rebuild('nothing')).rejects.toThrow(/there is no projection "nothing"/);
  });

  it('are reported as missing when none leads, without any part being down', async () => {
    const asked = projectionsOverBus(system.bus).status();
    await expect(asked).rejects.toThrow(NoLeaderError);
    await expect(asked).rejects.toThrow('no worker leads the projections now');
    const absent = { status: 'degraded', details: { reason: 'no worker leads the process managers now' } };
    expect(await health()).toEqual({
      projections: { status: 'degraded', details: { reason: 'no worker leads the projections now' } },
      'process-managers': absent,
      runners: absent,
      audit: { status: 'degraded', details: { reason: 'no worker leads the audit now' } },
    });
  });

  it('may be missing while the API is ready', async () => {
    const { application, settings, secret, bus } = system;
    const logger = createLogger('silent');
    const api = await createApi({
      application,
      settings,
      secret,
      engines: ENGINES,
      logger,
      healthSources: workHealth(bus, application.visibility),
    });
    const get = async (path: string) => (await api.inject({ method: 'GET', url: path })).statusCode;
    expect([await get('/health/ready'), await get('/health')]).toEqual([200, 200]);
    await api.close();
  });

  it('report led work on every process, and that nothing is trained without a runner', async () => {
    await start('first').started;
    await seen(await createProject());
    const { projections, 'process-managers': managers, runners } = await health();
    expect(projections).toMatchObject({ status: 'up', details: { projects: { state: 'live', parked: 0 } } });
    expect(Object.keys(managers!.details)).toContain('training-dispatch');
    expect(runners).toEqual({ status: 'degraded', details: {} });
  });
});
