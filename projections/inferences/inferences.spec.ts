import { upcasters } from '#domain/upcasters.js';
import { upcastGoldenEvents } from '#test/golden/events.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import { evolve } from '#log/projector/handlers.js';
import { inferences, type InferenceDocument } from './projection.js';

const content = (data: object) =>
  ({
    type: 'call-content.v1',
    position: '7',
    data: { inferenceId: 'i1', workspaceId: 'w1', content: data },
  }) as unknown as RecordedEvent;
const none: InferenceDocument | null = null;
const applied = (data: object) => evolve(inferences.on, none, upcasters.upcast(content(data))) as InferenceDocument;

describe('recorded calls', () => {
  it('keep small content whole, and of large content the beginning and its object key', () => {
    const small = { input: { text: 'a' }, output: null, errorMessage: null };
    expect(applied(small)).toMatchObject({ content: { ...small, truncated: [] }, whole: null });
    const { content: shown, whole } = applied({ ...small, output: 'x'.repeat(60_000) });
    expect([shown!.truncated, whole]).toEqual([['output'], { position: '7' }]);
    expect(JSON.stringify(shown).length).toBeLessThan(4_000);
  });

  it('keep nothing of erased content except the verdict', () => {
    const erasedAt = '2030-01-01T00:00:00.000Z';
    const event = { type: 'call-content-erased.v1', data: { inferenceId: 'i1', erasedAt } } as unknown as RecordedEvent;
    const feedback = {
      userId: 'u1',
      reviewer: 'ada',
      verdict: 'incorrect',
      correctedOutput: { a: 1 },
      notes: 'n',
      at: erasedAt,
      truncated: [],
      whole: null,
    };
    const document = {
      ...applied({ input: { text: 'a' }, output: null, errorMessage: null }),
      feedback,
      otherFeedback: [{ ...feedback, reviewer: 'bob' }],
    } as InferenceDocument;
    expect(evolve(inferences.on, document, event)).toMatchObject({
      ...{ content: null, whole: null, erasedAt },
      feedback: { verdict: 'incorrect', correctedOutput: null, notes: null },
      otherFeedback: [{ reviewer: 'bob', correctedOutput: null, notes: null }],
    });
  });

  it('keep importer and time of an erased imported call', () => {
    const golden = upcastGoldenEvents.find(({ type }) => type === 'inference-imported.v1') as unknown as RecordedEvent;
    const imported = evolve(inferences.on, none, golden) as InferenceDocument;
    expect(imported.imported).toMatchObject({ user: 'desk 4', lineId: 'theirs-1' });
    const data = { inferenceId: imported.id, erasedAt: '2030-01-01T00:00:00.000Z' };
    const event = { type: 'call-content-erased.v1', data } as unknown as RecordedEvent;
    expect(evolve(inferences.on, imported, event)).toMatchObject({
      content: null,
      imported: { ...imported.imported, user: null, metadata: null, origin: {} },
    });
  });

  it('take the summary of stored content from its event, and count content without one as truncated', () => {
    const object = { objectKey: 'calls/i1.json', sha256: 'aa', size: 100_000 };
    const summary = { input: { text: 'b…' }, output: null, errorMessage: null, truncated: ['input'] };
    expect(applied({ ...object, summary })).toMatchObject({ content: summary, whole: object });
    expect(applied(object)).toMatchObject({ content: { input: null, truncated: ['input', 'output'] }, whole: object });
  });
});
