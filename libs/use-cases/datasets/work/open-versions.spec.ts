import type { RecordedEvent } from '#ports/event-store/port.js';
import { evolve } from '#log/projector/handlers.js';
import { openVersions } from './open-versions.js';

const event = (type: string, versionId: string, workspaceId = 'w1') =>
  ({
    ...{ type: `dataset-version-${type}.v1`, stream: 'dataset-s1' },
    ...{ data: { versionId }, metadata: { workspaceId } },
  }) as unknown as RecordedEvent;

describe('open versions', () => {
  it('are processed in turns of workspaces', () => {
    const { on, initial, pending } = openVersions('dataset-version-sealed.v1', []);
    const events = [
      ...Array.from({ length: 300 }, (_, index) => event('sealed', `a${index}`)),
      event('sealed', 'b', 'w2'),
    ];
    const looked = pending(
      events.reduce((open, each) => evolve(on, open, each), initial),
      0,
    ).map(({ versionId }) => versionId);
    expect([looked.length, ...looked.slice(0, 3)]).toEqual([256, 'a0', 'b', 'a1']);
  });
});

it('open versions are derived from the log alone, oldest first', () => {
  const events = [
    event('sealed', 'a'),
    event('sealed', 'b'),
    event('sealed', 'c'),
    event('sealed', 'd'),
    event('ready', 'a'),
    event('failed', 'c'),
    event('deleted', 'd'),
    event('ready', 'unknown'),
  ];
  const ends = ['dataset-version-ready.v1', 'dataset-version-failed.v1', 'dataset-version-deleted.v1'] as const;
  const { on, initial } = openVersions('dataset-version-sealed.v1', ends);
  const open = events.reduce((open, each) => evolve(on, open, each), initial);
  expect([...open.values()]).toEqual([{ versionId: 'b', stream: 's1', workspaceId: 'w1' }]);
});
