import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose, type System } from '#apps/composition/compose.js';
import { readModelHealth } from '#apps/composition/work-health.js';
import { projectDecider } from '#domain/project/index.js';
import { systemContext } from '#log/context.js';
import type { LedWork } from '#log/leadership/index.js';
import { serveProjections } from '#log/projector/over-bus.js';
import type { ProjectionStatus } from '#log/projector/status.js';
import { PROJECTION_ADVANCED, type ProjectionAdvanced } from '#log/visibility.js';
import { Background } from '#primitives/background/background.js';
import { PROJECTIONS_MODULE, projections } from '#projections/index.js';
import { projects } from '#projections/projects/projection.js';
import { projectDocuments } from '#projections/projects/queries.js';
import { Settings } from '#settings/index.js';
import { eventually } from '#test/support/eventually.js';
import { startProjectionsBeside } from './projections-beside.js';

describe('read models beside the leader of another release', () => {
  let dataDir: string;
  let system: System;
  let beside: LedWork;
  /** The version of the projects that is led. */
  let led: number;
  let looks: number;
  const advanced = new Set<string>();
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-beside-'));
    system = await compose(new Settings({ dataDir, durability: 'normal' }));
    const { bus, locations, contentKeys } = system;
    [led, looks] = [projects.version + 1, 0];
    const none = () => Promise.reject(new Error('it is not asked for this'));
    serveProjections(bus, {
      status: async () => {
        looks += 1;
        return projections.map(
          ({ name, version }) =>
            ({ name, version: name === 'projects' ? led : version, state: 'live', parked: 0 }) as ProjectionStatus,
        );
      },
      ...{ parked: none, rebuild: none, retry: none },
    });
    bus.listen(PROJECTION_ADVANCED, (body) => advanced.add((body as unknown as ProjectionAdvanced).collection));
    const silent = { error: () => undefined, info: () => undefined };
    const soon = () => new Promise<void>((resolve) => void setTimeout(resolve, 20));
    const places = { eventLog: locations.eventStore, contentKeys, readStore: locations.readStore };
    beside = startProjectionsBeside(
      bus,
      { ...places, projections: PROJECTIONS_MODULE },
      new Background(silent, null, soon),
    );
  });
  afterEach(async () => {
    await beside.close();
    await system.close();
    await rm(dataDir, { recursive: true });
  });

  const create = (projectId: string) =>
    system.application.execute(
      projectDecider,
      projectId,
      { type: 'create-project', projectId, workspaceId: 'w1', name: projectId, description: null },
      systemContext('test', 'w1'),
    );

  it('are those of which that one has another version, until it has the same', async () => {
    const { bus, application } = system;
    await create('p1');
    await eventually(() => projectDocuments.get(application.ports.readStore, 'p1'));
    expect([...advanced]).toEqual([projectDocuments.collection]);
    const health = readModelHealth(bus, application.visibility);
    // Down until it is told that the read model is whole, which is after its first documents.
    const { details } = await eventually(
      () => health.check(),
      ({ status }) => status === 'degraded',
    );
    expect(details).toMatchObject({
      projects: {
        version: projects.version,
        complete: true,
        reason: `another release leads, with version ${led} of it`,
      },
      datasets: { state: 'live' },
    });
    led = projects.version;
    // A look comes only after the one before has stopped what is led now.
    const stoppedBy = looks + 3;
    await eventually(() => looks >= stoppedBy);
    advanced.clear();
    await create('p2');
    await beside.close();
    expect([...advanced]).toEqual([]);
    expect(await projectDocuments.get(application.ports.readStore, 'p2')).toBeNull();
  });
});
