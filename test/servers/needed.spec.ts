import { neededBy } from './needed.js';
import { EVERYTHING } from './start-all.js';

const kinds = (patterns: readonly string[], onServers: readonly string[] = []) =>
  Object.keys(neededBy(patterns, onServers, EVERYTHING)).toSorted();

it.each([
  [['libs/ports/event-store'], ['esdb']],
  [['dist/libs/ports/bus/nats/network'], ['nats', 'toxiproxy']],
  [
    ['libs/log/leadership', 'ports/object-store'],
    ['mongodb', 's3', 'toxiproxy'],
  ],
  [['test/faults/network'], ['esdb', 'mongodb', 'nats', 's3', 'toxiproxy']],
  [['the word of another option'], Object.keys(EVERYTHING).toSorted()],
  [['test/faults'], Object.keys(EVERYTHING).toSorted()],
  [[], Object.keys(EVERYTHING).toSorted()],
])('only the servers are built that the chosen suites use: %j', (patterns, expected) => {
  expect(kinds(patterns)).toEqual(expected);
});

it('specs of the API use the servers of an installation', () => {
  expect(kinds(['routes/events'], ['apps/api/routes/events/events.spec.js'])).toEqual([
    'esdb',
    'mongodb',
    'nats',
    's3',
  ]);
});
