import { againstTraining, counted, NO_COUNTS, NO_WORDS, sampled } from '#domain/drift/index.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { NoReferenceError, TrainingReferences } from './training-references.js';

const ROWS = [
  { text: 'order 4471 to Oslo', entities: [['Oslo', 'city']], label: 'delivery' },
  { text: 'order 90210 to Rome', json_structures: [{ parcel: { number: '90210' } }] },
  { messages: [] },
];

describe('training references', () => {
  let objects: Map<string, string>;
  let references: TrainingReferences;
  const store = {
    get: async (key: string) => {
      const content = objects.get(key);
      if (content === undefined) throw new ObjectNotFoundError(key);
      return (async function* () {
        // A byte at a time: rows are read however they arrive.
        for (const byte of Buffer.from(content)) yield Buffer.of(byte);
      })();
    },
    stat: async (key: string) => (objects.has(key) ? { size: 1, version: '1' } : null),
    put: async (key: string, content: Uint8Array) => void objects.set(key, Buffer.from(content).toString()),
  } as unknown as ObjectStore;
  const anew = () => (references = new TrainingReferences({ ports: { objectStore: store } }));
  beforeEach(() => {
    objects = new Map([['rows', ROWS.map((row) => `${JSON.stringify(row)}\n`).join('')]]);
    anew();
  });

  const job = (rows = ROWS.length) => ({
    ...{ jobId: 'j1', workspaceId: 'w1' },
    datasets: [{ object: { key: 'rows', size: 1, sha256: 'a' }, rows }],
  });

  it('count the labels that answers would give, and the words of rows with a text', async () => {
    const { reference } = await references.of(job());
    expect(reference).toMatchObject({ counts: { texts: 2 }, words: { count: 8, inOneRow: 2 } });
    expect(reference.labels.toSorted()).toEqual(['city', 'delivery', 'parcel']);
  });

  it('are stored with the job, and outlive the rows', async () => {
    const first = await references.of(job());
    expect(await references.of(job())).toBe(first);
    objects.delete('rows');
    const { reference } = await anew().of(job());
    expect(reference).toEqual(first.reference);
    expect([...objects.keys()]).toEqual(['jobs/j1/drift-reference-1.json']);
  });

  it('cannot be computed from missing or incomplete rows, and are retried', async () => {
    const before = objects.get('rows')!;
    objects.delete('rows');
    await expect(references.of(job())).rejects.toThrow('the rows that the version learned are no longer stored');
    objects.set('rows', before);
    await expect(references.of(job(4))).rejects.toThrow(NoReferenceError);
    await expect(references.of(job())).resolves.toBeDefined();
  });

  it('are not compared if the training had few rows', async () => {
    const texts = Array.from({ length: 300 }, () => 'order 1 to Oslo');
    const labelled = texts.map(({ length }) => ({ length, labels: ['city'] }));
    const week = {
      ...{ week: '2030-W01', calls: 300, confidence: [] },
      ...{ counts: counted(NO_COUNTS, labelled), words: sampled(NO_WORDS, texts) },
    };
    const nothing = { labels: null, confidence: null, length: null, unseen_words: null };
    expect(againstTraining(week, await references.of(job()))).toEqual(nothing);
  });
});
