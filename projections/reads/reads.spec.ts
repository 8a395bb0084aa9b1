import type { ContentsRead } from '#domain/content-read/index.js';
import { expectLiveEqualsRebuilt } from '#test/support/live-equals-rebuilt.js';
import { reads } from './projection.js';

const read = (workspaceId: string, ...resources: string[]): ContentsRead => ({
  type: 'contents-read.v1',
  data: {
    ...{ workspaceId, from: '2030-01-02T03:04:05.006Z', until: '2030-01-02T03:04:05.900Z' },
    reads: resources.map((resource) => ({ actor: 'key:k1', resource, route: 'GET /inferences/:id', count: 1 })),
  },
});

describe('the read model of who read what', () => {
  it('numbers the reads of each workspace, and separates whole names by line feeds', async () => {
    const documents = await expectLiveEqualsRebuilt(reads, [
      { ...read('w1', 'call/1', 'call/12'), id: 'e1' },
      { ...read('w2', 'call/1'), id: 'e2' },
      { ...read('w1', 'dataset/a\nb/1'), id: 'e3' },
    ]);
    expect([...documents].map(([id, { n, actors, resources }]) => [id, n, actors, resources])).toEqual([
      ['e1', 1, '\nkey:k1\n', '\ncall/1\ncall/12\n'],
      ['e2', 1, '\nkey:k1\n', '\ncall/1\n'],
      ['e3', 2, '\nkey:k1\n', '\ndataset/a b/1\n'],
    ]);
  });
});
