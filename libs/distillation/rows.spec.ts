import type { JsonObject } from '#domain/json.js';
import type { RecordedCall } from './calls/canonical.js';
import { rowsOf, type RowsOrder } from './rows.js';
import type { LearnedTask } from './task.js';
import { chat, made, with_, type Shape } from './tasks/prompts.fixture.js';

const DESCRIBED =
  'You sort the mails of a shop into queues. Billing: invoices and refunds; delivery: parcels on their way; account: passwords; other: the rest.';
const VERSIONS = [
  `${DESCRIBED} Answer with the queue.`,
  `${DESCRIBED} Answer with the queue alone, and never explain it.`,
  `${DESCRIBED} Answer with the queue alone, in lower case, and never explain it to anyone.`,
] as const;
const LONGER = `${DESCRIBED} A mail about several things goes to the queue of the first. Answer with the queue.`;
const QUESTIONS = [
  'Must somebody answer this mail before the evening?',
  'Does whoever wrote what follows sound friendly to you?',
];
const ORDER: RowsOrder = {
  ...{ teacher: 'acme/gpt', task: null, unmapped: 'null', heads: [], promptVersions: 'newest', targetAgreement: 0.92 },
};

/** Calls of each prompt in a month of its own, the oldest first. */
const inTurn = (...prompts: readonly string[]) =>
  prompts.flatMap((system, at) =>
    made((dice) => with_(dice, (text) => chat(system, `Mail:\n${text}`)), 60, at + 1).map(({ call }) => ({
      ...call,
      at: call.at.replace('2026-05', `2026-0${at + 1}`),
    })),
  );
/** Nothing is known of what texts are near to. */
const rows = (calls: readonly RecordedCall[], order: RowsOrder) =>
  rowsOf(calls, order, (texts) => Promise.resolve({ vectors: texts.map(() => null), least: 1 }));
const taught = async (calls: readonly RecordedCall[], order: RowsOrder) => {
  const found = await rows(calls, order);
  if (found.kind === 'refused') throw new Error(found.reason);
  return found;
};
/** The prompt that is answered. */
const promptOf = ({ template }: Pick<LearnedTask, 'template'>) =>
  template.parts
    .map(({ chunks, holes }) =>
      chunks.map((chunk, at) => chunk + (holes[at]?.kind === 'parameter' ? holes[at].values.join('|') : '')).join(''),
    )
    .join('\n');

describe('rows of recorded calls', () => {
  it('are of the newest version of a prompt, or of all as chosen', async () => {
    const calls = inTurn(...VERSIONS);
    const newest = await taught(calls, ORDER);
    expect(newest.counts).toMatchObject({ read: 180, ofTask: 60, otherVersions: 120 });
    expect(promptOf(newest)).toContain(VERSIONS[2]);
    const all = await taught(calls, { ...ORDER, promptVersions: 'all' });
    expect(all.counts).toMatchObject({ read: 180, ofTask: 180, otherVersions: 120 });
    expect(all.rows.length).toBeGreaterThan(2 * newest.rows.length);
  });

  it('are of the newest of prompts that differ in more than a few words', async () => {
    const calls = inTurn(VERSIONS[0], LONGER);
    const newest = await taught(calls, ORDER);
    expect(newest.counts).toMatchObject({ read: 120, ofTask: 60, otherVersions: 60 });
    expect(promptOf(newest)).toContain(LONGER);
    const all = await taught(calls, { ...ORDER, promptVersions: 'all' });
    expect([all.id, all.counts.ofTask, all.counts.otherVersions]).toEqual([newest.id, 120, 60]);
    // One that is named is answered, whatever came after it.
    const older = await taught(calls.slice(0, 60), ORDER);
    expect(promptOf(await taught(calls, { ...ORDER, task: older.id }))).toContain(VERSIONS[0]);
  });

  it('are not of another task that is asked at the same time, or in other words', async () => {
    const both: Shape = (dice, at) =>
      with_(dice, (text) => chat(`${DESCRIBED} ${QUESTIONS[at % 2]} Answer yes or no.`, text));
    const calls = made((dice, at) => ({ ...both(dice, at), answer: dice.pick(['yes', 'no']) }), 240, 1).map(
      ({ call }) => call,
    );
    expect(await rows(calls, { ...ORDER, promptVersions: 'all' })).toEqual({
      ...{ kind: 'refused', reason: expect.stringMatching(/ have 2 tasks, name one as `task`: .*120 calls/) },
    });
    const rewritten = inTurn(
      VERSIONS[0],
      'Which of our teams reads what follows? Say billing, delivery, account or other.',
    );
    expect(await rows(rewritten, ORDER)).toMatchObject({ reason: expect.stringContaining('have 2 tasks') });
  });

  it('have what people said, also where the model said otherwise later', async () => {
    const calls = inTurn(VERSIONS[0]);
    const [first] = calls as [(typeof calls)[number]];
    const by = (queue: string) => ({ role: 'assistant', content: queue });
    const asked = { ...first, at: '2026-08-01T00:00:00Z' };
    const copies = [
      { ...asked, id: 'corrected', answer: by('account'), isCorrected: true },
      { ...asked, id: 'later', at: '2026-08-02T00:00:00Z', answer: by('delivery') },
    ];
    const labelOf = async (all: typeof calls) =>
      (await taught(all, target)).rows.find(({ source_inference_id: id }) =>
        [first.id, 'corrected', 'later'].includes(id as string),
      );
    const target = { ...ORDER, targetAgreement: 0.9 };
    expect(await labelOf([...calls, ...copies])).toMatchObject({
      ...{ source_inference_id: 'corrected', label: 'account' },
    });
    const uncorrected = copies.map(({ isCorrected: _, ...call }) => call);
    expect(await labelOf([...calls, ...uncorrected])).toMatchObject({ label: 'delivery' });
  });

  it('are refused by number where nearly all answers are one', async () => {
    const calls = inTurn(VERSIONS[0]);
    const sided = (others: number) =>
      calls.map((call, at) => ({ ...call, answer: { role: 'assistant', content: at < others ? 'billing' : 'Other' } }));
    const reasonOf = async (all: typeof calls) => {
      const found = await rows(all, ORDER);
      return found.kind === 'refused' ? found.reason : null;
    };
    expect(await reasonOf(sided(2))).toContain(
      'the answers are too one-sided: 58 of 60 are "other", and no other comes 3 times',
    );
    expect(await reasonOf(sided(3))).toBeNull();
    // Three calls of one text are one.
    const copied = sided(3).map((call, at) => (at < 3 ? { ...call, request: calls[0]!.request } : call));
    expect(await reasonOf(copied)).toContain(
      'too one-sided: 57 of 58 are "Other", and a model that agrees with 58 is not shown to do better than to say that always; `label` has acme/gpt asked',
    );
  });

  it('come with what the prompt says of the classes that they have', async () => {
    const calls = inTurn(VERSIONS[0]).filter(({ answer }) => (answer as { content: string }).content !== 'other');
    expect((await taught(calls, { ...ORDER, targetAgreement: 0.9 })).labelDescriptions).toEqual({
      ...{ billing: 'invoices and refunds', delivery: 'parcels on their way', account: 'passwords' },
    });
  });

  it.each<readonly [string, Partial<RowsOrder>, (n: number) => string, RegExp]>([
    ['too few rows', {}, (n) => `{"queue":"Quux-${n % 3}"}`, /calls to learn from/],
    ['one answer', {}, () => 'Quux-1', /all answers are one|no task that can be learned/],
    ['free text', {}, (n) => `Quux-${n} wrote us, and I think that ${n} is angry.`, /no task that can be learned/],
    [
      'a field that cannot be learned',
      { unmapped: 'refuse' },
      (n) => `{"queue":"a${n % 2}","notes":"Quux-${n} ${n * 7919}"}`,
      /notes \(/,
    ],
    [
      'a field of several types',
      { unmapped: 'refuse' },
      (n) => `{"queue":"a${n % 2}","notes":${n % 2 ? '["x"]' : `"Quux-${n}"`}}`,
      /notes \(/,
    ],
    [
      'keys that are values',
      { unmapped: 'refuse' },
      (n) => `{"queue":"a${n % 2}","people":{"Quux-${n}":${n % 2 ? '[1]' : '"x"'}}}`,
      /people \(its keys differ/,
    ],
    [
      'a head that is not there',
      { heads: [{ path: 'none', kind: 'class' }] },
      (n) => `{"queue":"a${n % 2}","people":{"Quux-${n}":${n}}}`,
      /have no "none", they have queue, people$/,
    ],
  ])('are refused without a word of any call: %s', async (_, order, answer, why) => {
    const calls = inTurn(VERSIONS[0])
      .slice(0, 24)
      .map((call, n) => ({
        ...call,
        request: JSON.parse(JSON.stringify(call.request).replaceAll('ref ', 'ref Hildegard-')) as JsonObject,
        answer: { role: 'assistant', content: answer(n) },
      }));
    const found = await rows(calls, { ...ORDER, ...order });
    expect(found).toEqual({ kind: 'refused', reason: expect.stringMatching(why) });
    expect(JSON.stringify(found)).not.toMatch(/Hildegard|Quux/);
  });
});
