import { expectLiveEqualsRebuilt, type EventInLog } from '#test/support/live-equals-rebuilt.js';
import { reviews, shuffledUpTo, type ReviewDocument } from './projection.js';

const id = 'i1';
const at = '2030-01-02T03:04:05.678Z';
const of = { inferenceId: id, workspaceId: 'w1', modelId: 'm' };
const metered = (more: object = {}): EventInLog => ({
  type: 'call-metered.v1',
  data: { ...of, task: 'extract_entities', status: 'success', stored: true, at, ...more },
});
const content = (leastCertain?: object): EventInLog =>
  ({
    type: 'call-content.v1',
    data: { ...of, content: { input: {}, output: {}, errorMessage: null }, ...(leastCertain && { leastCertain }) },
  }) as EventInLog;
const doubtful = content({ confidence: 0.6, label: 'city' });
const verdict = (reviewer: string, says: string, correctedOutput: object | null = null): EventInLog => ({
  type: 'feedback-given.v1',
  data: { ...of, userId: 'u1', reviewer, verdict: says, correctedOutput, notes: null, at } as EventInLog['data'],
});
const assigned = (reviewer: string): EventInLog => ({
  type: 'review-assigned.v1',
  data: { ...of, reviewer, by: 'key:k1', at },
});
const skipped: EventInLog = { type: 'review-skipped.v1', data: { ...of, reviewer: 'ada', reason: null, at } };

const after = async (...events: EventInLog[]) =>
  (await expectLiveEqualsRebuilt(reviews, events)).get(id) as ReviewDocument | undefined;
const queueAfter = async (...events: EventInLog[]) => (await after(doubtful, ...events))?.queue;

describe('reviews', () => {
  it('rank a doubtful call by its least certain answer', async () => {
    const least = { confidence: 0.51, label: 'city' };
    const expected = { workspaceId: 'w1', modelId: 'm', queue: 'open', rank: 0.51, ...least };
    expect(await after(metered(), content(least))).toMatchObject(expected);
    expect(await after(content(least), metered())).toMatchObject(expected);
  });

  it('exclude calls that are certain, without an answer, shadows, or not of encoders', async () => {
    expect(await after(metered(), content({ confidence: 0.9, label: 'city' }))).toBeUndefined();
    expect(await after(metered(), content())).toBeUndefined();
    for (const more of [{ stored: false }, { task: 'generate' }, { task: 'embed' }, { shadowOf: 'i0' }])
      expect(await after(metered({ status: 'failed', ...more }))).toBeUndefined();
  });

  it('include a call with a verdict, a skip or an assignment, whatever its confidence', async () => {
    for (const event of [verdict('ada', 'correct'), skipped, assigned('ada')])
      expect(await after(event)).toMatchObject({ workspaceId: 'w1', modelId: 'm', confidence: null });
  });

  it('offer a call with erased content to nobody, and keep none of its content', async () => {
    const erased: EventInLog = { type: 'call-content-erased.v1', data: { ...of, erasedAt: at } };
    expect(await after(doubtful, erased)).toMatchObject({ queue: 'done', label: null, confidence: null });
  });

  it('list failed calls and wrong answers without a correction as errors, newest first', async () => {
    const failed = await after(metered({ status: 'failed' }));
    expect(failed).toMatchObject({ queue: 'errors', rank: -Date.parse(at) });
    expect(await queueAfter(verdict('ada', 'incorrect'))).toBe('errors');
    expect(await queueAfter(verdict('ada', 'incorrect', { entities: {} }))).toBe('once');
  });

  it('are done after two equal verdicts, and disputed after two different ones', async () => {
    const ada = verdict('ada', 'correct');
    expect(await queueAfter(ada)).toBe('once');
    expect(await queueAfter(ada, verdict('ada', 'incorrect', {}))).toBe('once');
    expect(await queueAfter(ada, verdict('bob', 'correct'))).toBe('done');
    expect(await queueAfter(ada, verdict('bob', 'incorrect', {}))).toBe('disputed');
    expect(await queueAfter(verdict('ada', 'incorrect', { a: 1 }), verdict('bob', 'incorrect', { a: 2 }))).toBe(
      'disputed',
    );
    expect(await queueAfter(ada, verdict('bob', 'incorrect', {}), verdict('bob', 'correct'))).toBe('done');
    const removed: EventInLog = { type: 'feedback-removed.v1', data: { ...of, userId: 'u1', reviewer: 'ada', at } };
    expect(await queueAfter(ada, removed)).toBe('open');
    expect(await queueAfter(ada, verdict('bob', 'incorrect', {}), removed)).toBe('once');
  });

  it('agree with a verdict whose correction was erased, and are not offered again for it', async () => {
    const data = { ...of, until: at, keys: [], erasedAt: at };
    const erased: EventInLog = { type: 'feedback-texts-erased.v1', data };
    const ada = verdict('ada', 'incorrect', { a: 1 });
    expect(await queueAfter(ada, erased)).toBe('once');
    expect(await queueAfter(ada, erased, verdict('bob', 'incorrect', { a: 1 }))).toBe('done');
    expect(await queueAfter(ada, erased, verdict('bob', 'correct'))).toBe('disputed');
    const keyless = { ...ada, data: { ...ada.data, correctedOutput: null, erased: true } } as EventInLog;
    expect(await after(keyless, erased)).toEqual(await after(ada, erased));
  });

  it('attribute a verdict without a reviewer to its user', async () => {
    const older = verdict('', 'correct');
    const { reviewer: _, ...data } = older.data;
    expect((await after(metered(), { ...older, data }))?.verdicts).toEqual([
      { reviewer: 'user:u1', says: 'correct', at },
    ]);
  });

  it('leave an assigned call to its reviewer until they give a verdict', async () => {
    expect(await queueAfter(assigned('ada'))).toBe('assigned/ada');
    expect(await queueAfter(assigned('ada'), verdict('bob', 'correct'))).toBe('assigned/ada');
    expect(await queueAfter(assigned('ada'), verdict('ada', 'correct'))).toBe('once');
    expect(await queueAfter(assigned('ada'), assigned('bob'))).toBe('assigned/bob');
  });

  it('offer a skipped call to nobody until it is assigned or has a verdict', async () => {
    expect(await queueAfter(skipped)).toBe('skipped');
    expect(await queueAfter(skipped, assigned('bob'))).toBe('assigned/bob');
    expect(await queueAfter(skipped, verdict('ada', 'correct'))).toBe('once');
  });

  const city = (name: string) => ({ entities: { city: [name] } });
  const answered = (output: object, inferenceId = id): EventInLog =>
    ({
      type: 'call-content.v1',
      data: {
        ...{ inferenceId, workspaceId: 'w1', content: { input: {}, output, errorMessage: null } },
        comparison: { of: id, modelName: 'm', modelVersion: inferenceId === id ? 1 : 2 },
        ...(inferenceId === id && { modelId: 'm', leastCertain: { confidence: 0.95, label: 'city' } }),
      },
    }) as EventInLog;
  const shadow = (output: object) => answered(output, 'i2');

  it("compare a call's answer with its shadow's, whichever is recorded first", async () => {
    const otherwise = [answered(city('Rome')), shadow(city('Oslo'))];
    const alike = [answered(city('Rome')), shadow(city('Rome'))];
    for (const order of [otherwise, otherwise.toReversed()])
      expect(await after(...order)).toMatchObject({
        ...{ modelId: 'm', queue: 'differing', confidence: null, compared: 'm@1/2', alike: null, nCompared: 1 },
        answers: {
          called: { inferenceId: id, version: 1, said: null },
          shadow: { inferenceId: 'i2', version: 2, said: null },
        },
      });
    for (const order of [alike, alike.toReversed()])
      expect(await after(...order)).toMatchObject({ queue: 'open', compared: 'm@1/2', alike: 'm@1/2', nAlike: 1 });
    expect(await after(otherwise[0]!)).toMatchObject({ queue: 'open', compared: null });
    const documents = await expectLiveEqualsRebuilt(reviews, [...otherwise, verdict('ada', 'correct')]);
    expect([...documents.keys()]).toEqual([id]);
    expect(documents.get(id)).toMatchObject({ queue: 'once' });
  });

  it('keep nothing of an answer that was erased before its shadow answered', async () => {
    const erased: EventInLog = { type: 'call-content-erased.v1', data: { ...of, erasedAt: at } };
    expect(await after(answered(city('Rome')), erased, shadow(city('Oslo')))).toMatchObject({
      ...{ queue: 'done', answers: null, compared: null },
    });
  });

  it('map a share of all calls to a limit in the random order', () => {
    expect([0, 0.5, 1].map(shuffledUpTo)).toEqual([-1, 2 ** 31 - 1, 2 ** 32 - 1]);
  });
});
