import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expectedAfter, NO_STREAM, type EventToAppend } from '#ports/event-store/port.js';
import { openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import type { JsonObject } from '#domain/json.js';
import type { ProjectionAdvance } from '../status.js';
import { PROJECTIONS_MODULE } from '#projections/index.js';
import { openQueries } from '#ports/read-store/open.js';
import { startProjectionHost, type RunningProjectionHost } from './start.js';
import { projectDocuments } from '#projections/projects/queries.js';
import { projectionIn } from '../collection.js';

describe('the projection thread', () => {
  let directory: string;
  let log: SqliteEventStore;
  let host: RunningProjectionHost;
  let wake: () => void;
  const advanced = new Map<string, ProjectionAdvance>();
  const readStore = () => ({ adapter: 'sqlite', directory: join(directory, 'read') }) as const;

  const start = (more: Partial<Parameters<typeof startProjectionHost>[0]> = {}) => {
    advanced.clear();
    return startProjectionHost({
      eventLog: { adapter: 'sqlite', directory },
      readStore: readStore(),
      projections: PROJECTIONS_MODULE,
      onAdvance(advances) {
        for (const advance of advances) advanced.set(projectionIn(advance.collection)!.name, advance);
        wake();
      },
      ...more,
    });
  };
  const seen = async (projection: string, position: string) => {
    for (;;) {
      const advance = advanced.get(projection);
      if (advance?.live && advance.position >= position) return;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };

  beforeEach(async () => {
    wake = () => undefined;
    directory = await mkdtemp(join(tmpdir(), 'projection-thread-'));
    log = await openSqliteEventStore({ directory, durability: 'normal' });
  });
  afterEach(async () => {
    await host.close();
    await log.close();
    await rm(directory, { recursive: true });
  });

  it("makes an append visible to another thread's queries, and reports the position", async () => {
    host = await start();
    const { position } = await log.append('project-p1', NO_STREAM, [created('p1')]);
    await seen('projects', position);
    const queries = await openQueries(readStore());
    expect(await queries.get(projectDocuments.collection, 'p1')).toMatchObject({ id: 'p1', name: 'support' });
    await queries.close();
    const status = (await host.status()).find(({ name }) => name === 'projects');
    expect(status).toMatchObject({ state: 'live', position, lagEvents: 0 });
    await expect(host.rebuild('nothing')).rejects.toThrow(/there is no projection "nothing"/);
  });

  it('reports a projection that stops, with the reason', async () => {
    await log.append('project-p1', NO_STREAM, [created('p1')]);
    const database = new DatabaseSync(join(directory, 'log.db'));
    database.exec("UPDATE events SET data = '{'");
    database.close();
    const stopped = new Map<string, string>();
    host = await start({ onStopped: (projection, { message }) => stopped.set(projection, message) });
    await host.begun();
    expect(stopped.get('projects')).toMatch(/the event log is damaged at position \d+/);
  });

  it('builds a long history in a separate thread, and again on demand', async () => {
    let revision = -1;
    let position = '';
    for (let block = 0; block < 4; block += 1) {
      const events = Array.from({ length: 500 }, (_, index) => created(`p${block * 500 + index}`));
      ({ revision, position } = await log.append('project-p', expectedAfter(revision), events));
    }
    host = await start({ projections: import.meta.resolve('./projects-only.fixture.js'), farBehind: 1_000 });
    await seen('projects', position);
    const queries = await openQueries(readStore());
    expect(await queries.count(projectDocuments.collection, { where: { workspaceId: 'w1' } })).toBe(2_000);
    await host.rebuild('projects');
    const next = await log.append('project-x', NO_STREAM, [created('x')]);
    await seen('projects', next.position);
    expect(await queries.count(projectDocuments.collection, { where: { workspaceId: 'w1' } })).toBe(2_001);
    const rebuilding = async () => (await host.status()).some(({ state }) => state !== 'live');
    while (await rebuilding()) await new Promise<void>((resolve) => (wake = resolve));
    expect(await queries.count(projectDocuments.collection, { where: { workspaceId: 'w1' } })).toBe(2_001);
    await queries.close();
  });
});

let serial = 0;
function created(projectId: string): EventToAppend {
  const id = `00000000-0000-4000-8000-${String((serial += 1)).padStart(12, '0')}`;
  const createdAt = '2030-01-01T00:00:00.000Z';
  const data: JsonObject = { projectId, workspaceId: 'w1', name: 'support', description: null, createdAt };
  const metadata = { workspaceId: 'w1', actor: 'user:u', correlationId: id, causationId: id, commandId: id };
  return { id, type: 'project-created.v1', data, metadata: { ...metadata, occurredAt: createdAt } };
}
