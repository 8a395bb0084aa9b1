import { labelKey, MAX_SAMPLE, NO_LABEL, OTHER_LABELS } from '#domain/drift/index.js';
import type { EventMetadata } from '#ports/event-store/port.js';
import { expectLiveEqualsRebuilt, type EventInLog } from '#test/support/live-equals-rebuilt.js';
import { drift, type DriftDocument } from './projection.js';

const of = { inferenceId: 'i1', workspaceId: 'w1', modelId: 'tickets', modelName: 'tickets', modelVersion: 7 };
const [MONDAY, SUNDAY] = ['2030-01-07T00:00:00.000Z', '2030-01-06T23:59:59.999Z'];
const call = (text: unknown, output: unknown, more: object = {}, occurredAt = MONDAY): EventInLog =>
  ({
    type: 'call-content.v1',
    data: { ...of, content: { input: { text }, output, errorMessage: null }, ...more },
    metadata: { occurredAt } as EventMetadata,
  }) as EventInLog;
const found = { entities: { city: ['Oslo'], person: [] } };
const nothing = { entities: { city: [], person: [] } };
const after = async (...events: EventInLog[]) => [...(await expectLiveEqualsRebuilt(drift, events)).values()];
const one = async (...events: EventInLog[]) => (await after(...events))[0] as DriftDocument;

describe('the drift read model', () => {
  it('counts calls of a version by week, without texts or label names', async () => {
    const document = await one(
      call('fly to Oslo', found, { leastCertain: { confidence: 0.62, label: 'city' } }),
      call('a text of more than sixteen characters', nothing),
    );
    expect(document).toMatchObject({
      ...{ id: 'w1/tickets/7/2030-W02', workspaceId: 'w1', modelName: 'tickets', modelVersion: 7, week: '2030-W02' },
      ...{ calls: 2, confidence: [0, 0, 0, 0, 0, 0, 1, 0, 0, 0] },
      counts: { texts: 2, labels: { [labelKey('city')]: 1, [NO_LABEL]: 1 }, lengths: [1, 0, 1, 0, 0, 0, 0, 0, 0, 0] },
      words: { seen: 10 },
    });
    expect(JSON.stringify(document)).not.toMatch(/Oslo|city|sixteen/i);
  });

  it('counts each text of a batch call', async () => {
    const { calls, counts } = await one(call(['fly to Oslo', 'no', 'Rome'], [found, nothing, found]));
    expect([calls, counts.texts, counts.labels]).toEqual([1, 3, { [labelKey('city')]: 2, [NO_LABEL]: 1 }]);
  });

  it('reads the last user message of chats', async () => {
    const messages = [
      { role: 'user', content: 'a greeting' },
      { role: 'assistant', content: 'yes?' },
      { role: 'user', content: [{ type: 'text', text: 'fly to Oslo' }] },
    ];
    const chat = call('', found);
    const content = { input: { messages }, output: found, errorMessage: null };
    expect((await one({ ...chat, data: { ...chat.data, content } })).words.seen).toBe(3);
  });

  it('has a document for each week of each version', async () => {
    const documents = await after(
      call('a', found),
      call('b', found, {}, SUNDAY),
      call('c', found, { modelVersion: 8 }),
      call('d', found, { modelName: 'orders' }),
    );
    expect(documents.map(({ id }) => id)).toEqual([
      ...['w1/orders/7/2030-W02', 'w1/tickets/7/2030-W01', 'w1/tickets/7/2030-W02', 'w1/tickets/8/2030-W02'],
    ]);
  });

  it('counts calls of distilled versions as rows, and answers that say something else as other labels', async () => {
    const row = { modelName: 'queues', modelVersion: 3, length: 1_200, beginning: 'Where is it?' };
    const chat = (more: object) =>
      call('the whole prompt', 'shipping', {
        modelName: undefined,
        modelVersion: undefined,
        asRow: { ...row, ...more },
      });
    const said = { labels: ['shipping'], certainty: 0.97 };
    expect(await after(chat(said), chat({ labels: null, certainty: null }))).toMatchObject([
      {
        ...{ id: 'w1/queues/3/2030-W02', modelName: 'queues', modelVersion: 3, calls: 2 },
        counts: { texts: 2, labels: { [labelKey('shipping')]: 1, [OTHER_LABELS]: 1 } },
        ...{ confidence: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1], words: { seen: 6 } },
      },
    ]);
  });

  it('ignores calls that did not use a name', async () => {
    expect(await after(call('a', found, { modelName: undefined, modelVersion: undefined }))).toEqual([]);
  });

  it('counts a truncated text among the longest', async () => {
    const cut = call('', found);
    const summary = { input: { text: 'fly to Os…' }, output: found, errorMessage: null, truncated: ['input'] };
    const content = { objectKey: 'calls/1', sha256: 'a', size: 100_000, summary };
    const { counts } = await one({ ...cut, data: { ...cut.data, content } });
    expect(counts.lengths.at(-1)).toBe(1);
  });

  it('stays small for any number of calls', async () => {
    const texts = Array.from({ length: 500 }, (_, number) => `some words of text ${number}`);
    const document = await one(
      ...[1, 2, 3].map((_, at) =>
        call(
          texts,
          texts.map(() => found),
          { inferenceId: `i${at}` },
        ),
      ),
    );
    expect(document.words).toMatchObject({ seen: 7_500 });
    expect(document.words.buckets).toHaveLength(MAX_SAMPLE);
    expect(JSON.stringify(document).length).toBeLessThan(10_000);
  });
});
