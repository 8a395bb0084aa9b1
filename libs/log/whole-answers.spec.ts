import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { PROJECTION_ADVANCED, Visibility } from './visibility.js';
import { wholeAnswers } from './whole-answers.js';

const documents: ReadStoreQueries = {
  get: async (_name, id) => (id === 'there' ? ({ id } as never) : null),
  find: async () => [],
  count: async () => 0,
  sum: () => Promise.reject(new Error('nobody asks')),
  group: async () => [],
};

describe('queries of a read model', () => {
  const told = async (complete: boolean, stale = false) => {
    const bus = new InProcessBus();
    const visibility = new Visibility(bus);
    const heard = new Promise<void>((resolve) => bus.listen(PROJECTION_ADVANCED, () => resolve()));
    bus.signal(PROJECTION_ADVANCED, { collection: 'jobs', position: '1', live: false, complete, stale });
    await heard;
    return wholeAnswers(documents, visibility);
  };

  it('are refused while it is incomplete, except for documents that it already has', async () => {
    const queries = await told(false);
    const refused = {
      name: 'UnavailableError',
      message: expect.stringContaining('being rebuilt'),
      retryAfterSeconds: 5,
    };
    await expect(queries.find('jobs', { where: {}, limit: 1 })).rejects.toMatchObject(refused);
    await expect(queries.count('jobs', { where: {} })).rejects.toMatchObject(refused);
    const grouping = { by: [], sums: [], tallies: [], limit: 1 };
    await expect(queries.group('jobs', { where: {} }, grouping)).rejects.toMatchObject(refused);
    expect(await queries.group('projects', { where: {} }, grouping)).toEqual([]);
    await expect(queries.get('jobs', 'gone')).rejects.toMatchObject(refused);
    expect(await queries.get('jobs', 'there')).toEqual({ id: 'there' });
    expect(await queries.find('projects', { where: {}, limit: 1 })).toEqual([]);
  });

  it('never report a missing document when it has stopped, and return the documents that it has', async () => {
    const queries = await told(true, true);
    await expect(queries.get('jobs', 'gone')).rejects.toMatchObject({ name: 'UnavailableError' });
    expect(await queries.find('jobs', { where: {}, limit: 1 })).toEqual([]);
  });

  it('are answered once it is complete', async () => {
    const queries = await told(true);
    expect(await queries.find('jobs', { where: {}, limit: 1 })).toEqual([]);
    expect(await queries.get('jobs', 'gone')).toBeNull();
  });
});
