import { describeEmbedded } from '#test/deployments/test-api.js';
import { changeLog, plant } from '#ports/event-store/sqlite/foreign.fixture.js';
import { toPosition } from '#ports/event-store/sqlite/position.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { checkpointNow } from '#test/support/audited.js';

describeEmbedded('a system to whose log another process adds events', 'it writes to the file of a log', () => {
  let api: TestSystem;
  beforeAll(async () => (api = await startTestApi()));
  afterAll(() => api.close());

  it('does not act on them, tells of them at once, and signs nothing', async () => {
    const { dataDir } = api.settings;
    const { body: own } = await api.call('POST', '/projects', { name: 'honest' });
    await checkpointNow(api);
    const listed = async () =>
      (await api.call('GET', '/projects')).body.projects.map(({ name }: { name: string }) => name) as string[];
    const position = plant(dataDir, 'project-created.v1', 'project-planted', (text) =>
      text.replaceAll(String(own.id), 'planted').replaceAll('honest', 'planted'),
    );
    const refused = await api.call('POST', '/projects', { name: 'later' });
    expect(refused).toMatchObject({ status: 503 });
    await eventually(async () => (await api.call('GET', '/health')).body.status === 'damaged');
    const { details } = (await api.call('GET', '/health')).body;
    expect(details['event-store']).toMatchObject({
      writes: false,
      damaged: { places: 1, first: toPosition(position) },
    });
    expect(await listed()).toEqual(['honest']);
    changeLog(dataDir, (file) => file.prepare('DELETE FROM events WHERE position = ?').run(position));
    changeLog(dataDir, (file) => file.prepare(`DELETE FROM streams WHERE name = 'project-planted'`).run());
    expect(await api.call('POST', '/projects', { name: 'later' })).toMatchObject({ status: 200 });
    await api.drained();
    expect(await listed()).not.toContain('planted');
  });

  it('refuses every write, and says so, when the position in the seal was moved behind them too', async () => {
    const { dataDir } = api.settings;
    const { body: own } = await api.call('POST', '/projects', { name: 'genuine' });
    await checkpointNow(api);
    const position = plant(dataDir, 'project-created.v1', 'project-moved', (text) =>
      text.replaceAll(String(own.id), 'moved').replaceAll('genuine', 'moved'),
    );
    const seal = changeLog(dataDir, (file) => {
      const { value } = file.prepare(`SELECT value FROM meta WHERE name = 'sealed-end'`).get() as { value: string };
      const [inner, mac] = JSON.parse(value) as [string, string];
      const moved = JSON.stringify([JSON.stringify({ ...(JSON.parse(inner) as object), position }), mac]);
      file.prepare(`UPDATE meta SET value = ? WHERE name = 'sealed-end'`).run(moved);
      return value;
    });
    expect(await api.call('POST', '/projects', { name: 'later still' })).toMatchObject({ status: 503 });
    await eventually(async () => (await api.call('GET', '/health')).body.status === 'damaged');
    expect((await api.call('GET', '/health')).body.details['event-store']).toMatchObject({ writes: false });
    changeLog(dataDir, (file) => {
      file.prepare('DELETE FROM events WHERE position = ?').run(position);
      file.prepare(`DELETE FROM streams WHERE name = 'project-moved'`).run();
      file.prepare(`UPDATE meta SET value = ? WHERE name = 'sealed-end'`).run(seal);
    });
    expect(await api.call('POST', '/projects', { name: 'later still' })).toMatchObject({ status: 200 });
  });
});
