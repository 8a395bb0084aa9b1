import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteReadStore } from '#ports/read-store/sqlite/sqlite-read-store.js';
import { randomNumbers } from '#primitives/random-numbers.js';
import { expectLiveEqualsRebuilt } from '#test/support/live-equals-rebuilt.js';
import { callEvents } from '#test/support/recorded-calls.js';
import type { DayDocument } from './days.js';
import { daysSuite, eventsOfDays } from './days.suite.js';
import { inferences } from './projection.js';

daysSuite(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'days-'));
  const store = new SqliteReadStore({ directory });
  const clear = async () => {
    await store.close();
    await rm(directory, { recursive: true });
  };
  return { store, clear };
});

const daysIn = (documents: ReadonlyMap<string, object>) =>
  [...documents.values()].filter((document): document is DayDocument => 'countedFor' in document);

describe('a day of recorded calls', () => {
  it('is the same live and rebuilt', async () => {
    const days = daysIn(await expectLiveEqualsRebuilt(inferences, eventsOfDays().slice(0, 400)));
    expect(days.length).toBeGreaterThan(10);
  });

  it('keeps no label of a call whose content was erased', async () => {
    const [call, content] = callEvents(1, randomNumbers(1));
    const { inferenceId } = call!.data as { readonly inferenceId: string };
    const label = 'a label of this call alone';
    const output = { entities: { [label]: ['Ada'] } };
    const said = { ...content!.data, content: { input: { text: 'Ada' }, output, errorMessage: null } };
    const erased = { type: 'call-content-erased.v1', data: { inferenceId, erasedAt: '2030-02-01T00:00:00.000Z' } };
    const events = [
      { type: call!.type, data: call!.data },
      { type: content!.type, data: said },
    ];
    expect(JSON.stringify(daysIn(await expectLiveEqualsRebuilt(inferences, events)))).toContain(label);
    const days = daysIn(await expectLiveEqualsRebuilt(inferences, [...events, erased]));
    expect(JSON.stringify(days)).not.toContain(label);
    expect(days.map(({ counted }) => Object.keys(counted))).toEqual([['[null,"success"]']]);
  });

  it('counts no labels once there are too many, and says so', async () => {
    const random = randomNumbers(1);
    const events = Array.from({ length: 3 }, (_, n) => {
      const [call, content] = callEvents(n, random);
      const entities = Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`label-${n}-${at}`, ['Ada']]));
      const said = { ...content!.data, content: { input: { text: 'Ada' }, output: { entities }, errorMessage: null } };
      const one = { ...call!.data, task: 'extract_entities', modelId: 'm', trainingJobId: null, projectId: null };
      return [
        { type: call!.type, data: one },
        { type: content!.type, data: said },
      ];
    }).flat();
    const days = daysIn(await expectLiveEqualsRebuilt(inferences, events));
    expect(days.map(({ kind, full, counted }) => [kind, full, Object.keys(counted).length])).toEqual([
      ['calls', undefined, 1],
      ['labels', true, 0],
    ]);
  });
});
