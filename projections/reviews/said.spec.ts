import type { CallContent } from '#domain/inference/index.js';
import type { Json } from '#domain/json.js';
import { saidIn } from './said.js';

const said = (output: Json) => saidIn({ input: {}, output, errorMessage: null });
const hit = (text: string, confidence: number) => ({ text, confidence, start: 0, end: text.length });
const message = (id: string, city: string) => ({
  ...{ role: 'assistant', content: null, reasoning_content: `thoughts of ${id}` },
  tool_calls: [{ id, type: 'function', function: { name: 'book', arguments: city } }],
});
const blocks = (id: string, city: string) => [
  { type: 'thinking', thinking: `thoughts of ${id}`, signature: id },
  { type: 'tool_use', id, name: 'book', input: { city } },
];

describe('the fingerprint of an answer', () => {
  it.each<[string, Json, Json]>([
    [
      'confidences and the order of hits',
      { entities: { city: [hit('Rome', 0.9), hit('Oslo', 0.8)], person: [] } },
      { entities: { person: [], city: [hit('Oslo', 0.7), hit('Rome', 0.6)] } },
    ],
    [
      'confidences of classes',
      { topic: { label: 'travel', confidence: 0.9 }, tone: [['calm', 0.8]] },
      { topic: { label: 'travel', confidence: 0.5 }, tone: [['calm', 0.4]] },
    ],
    ['ids of calls of tools, and thoughts', message('a', 'Rome'), message('b', 'Rome')],
    ['the same in blocks', blocks('a', 'Rome'), blocks('b', 'Rome')],
  ])('is the same despite other %s', (_, one, other) => {
    expect(said(one)).toBe(said(other));
  });

  it.each<[string, Json, Json]>([
    ['text', { entities: { city: ['Rome'] } }, { entities: { city: ['Oslo'] } }],
    ['label', { entities: { city: ['Rome'] } }, { entities: { person: ['Rome'] } }],
    ['place', { entities: { city: [hit('Rome', 1)] } }, { entities: { city: [{ ...hit('Rome', 1), start: 9 }] } }],
    ['class', { topic: { label: 'travel', confidence: 0.9 } }, { topic: { label: 'money', confidence: 0.9 } }],
    ['id in a structure', { order: [{ id: '1' }] }, { order: [{ id: '2' }] }],
    ['entity called confidence', { entities: { confidence: ['high'] } }, { entities: { confidence: ['low'] } }],
    ['call of a tool', message('a', 'Rome'), message('a', 'Oslo')],
    ['generated text', 'yes', 'no'],
  ])('differs for another %s', (_, one, other) => {
    expect(said(one)).not.toBe(said(other));
  });

  it('depends on the beginning of large content', () => {
    const stored = (sha256: string, text: string): CallContent['data']['content'] => ({
      ...{ objectKey: 'k', sha256, size: 100_000 },
      summary: { input: {}, output: text, errorMessage: null, truncated: ['output'] },
    });
    expect(saidIn(stored('a', 'begins'))).toBe(saidIn(stored('b', 'begins')));
    expect(saidIn(stored('a', 'begins'))).not.toBe(saidIn(stored('a', 'other')));
  });
});
