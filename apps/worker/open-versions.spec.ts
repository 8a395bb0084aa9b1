import type { RecordedEvent } from '#event-store/port.js';
import { openVersions } from './open-versions.js';

test('what is open follows from the log alone, oldest first', () => {
  const event = (type: string, versionId: string) =>
    ({ type: `dataset-version-${type}.v1`, stream: 'dataset-s1', data: { versionId } }) as unknown as RecordedEvent;
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
  const { evolve, initial } = openVersions('dataset-version-sealed.v1', []);
  const open = events.reduce(evolve, initial);
  expect([...open.values()]).toEqual([{ versionId: 'b', stream: 's1' }]);
});
