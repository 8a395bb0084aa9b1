import { randomBytes } from 'node:crypto';

/** A call that is made with `store: false`, and how it may be answered. */
export interface Probe {
  readonly name: string;
  readonly path: string;
  readonly body: unknown;
  /** Stands wherever the call has room for text. */
  readonly text: string;
  readonly statuses: readonly number[];
}

export const ENCODER = 'anneal/encoder-base-v1';
export const HOSTED = 'hosted/chat';

/** A text that there is nowhere else. */
export const unique = (): string => `uq${randomBytes(12).toString('hex')}`;

/** @param store left out where it is the default */
export function encoderProbes(store: false | undefined, ownModel: string | null): readonly Probe[] {
  const some = (name: string, body: (text: string) => object, statuses: readonly number[], path = '/inference') => {
    const text = unique();
    const model = path === '/gliner-2' ? {} : { model_id: ENCODER };
    return { name, path: path.replace('TEXT', text), text, statuses, body: { ...model, ...body(text), store } };
  };
  return [
    some('one text', (text) => ({ text: `${text} left Paris. "Zoë"`, schema: [text] }), [200]),
    some('a batch', (text) => ({ text: [`a ${text}`, `b ${text}`], schema: [text] }), [200]),
    // More than the log keeps in an event: it becomes an object.
    some('a long text', (text) => ({ text: `${text} in Lima. `.repeat(2_500), schema: ['city'] }), [200]),
    some(
      'two heads',
      (text) => ({
        text: `${text} flew`,
        schema: {
          entities: [{ name: text, description: text }],
          classifications: [{ task: text, labels: [text, 'b'] }],
        },
      }),
      [200],
    ),
    some('a warm-up', (text) => ({ text, is_warmup: true }), [200]),
    some('a value out of range', (text) => ({ text, schema: [text], threshold: 7 }), [422]),
    some('an unknown parameter', (text) => ({ text, schema: [text] }), [422], '/inference?note=TEXT'),
    some('an unknown field', (text) => ({ text, schema: [text], [text]: text }), [200]),
    some(
      'a field of the wrong type',
      (text) => ({ text: { a: text }, schema: { entities: { [text]: [text] } } }),
      [422],
    ),
    some('a head that the model lacks', (text) => ({ text, schema: { relations: [text] } }), [422]),
    some('an unknown model', (text) => ({ model_id: text, text, schema: [text] }), [404]),
    some('an unknown project', (text) => ({ text, schema: [text], project_id: text }), [404]),
    some('the GLiNER2 client', (text) => ({ text, schema: [text] }), [200], '/gliner-2'),
    some('its batch', (text) => ({ task: 'extract_entities', text: [text, text], schema: [text] }), [200], '/gliner-2'),
    some('its mistake', (text) => ({ task: text, text, schema: { [text]: text } }), [422], '/gliner-2'),
    some('a stream', (text) => ({ text, schema: [text], stream: true }), [422]),
    ...(ownModel === null
      ? []
      : [some('a model that cannot serve', (text) => ({ model_id: ownModel, text, schema: [text] }), [409])]),
  ];
}

/** Calls of a provider that answers, fails, hangs and breaks off in turn. */
export function decoderProbes(store: false | undefined): readonly Probe[] {
  const some = (name: string, statuses: readonly number[]): Probe => {
    const text = unique();
    const messages = [
      { role: 'system', content: `be brief, ${text}` },
      { role: 'user', content: text },
    ];
    const body = { model_id: HOSTED, task: 'generate', messages, max_tokens: 20, stop: [text.slice(0, 20)], store };
    return { name, path: '/inference', text, statuses, body };
  };
  return [
    some('a completion', [200]),
    some('a provider that refuses', [400]),
    some('a provider that does not answer', [500, 503]),
    some('a provider that breaks off', [500, 503]),
    { ...some('a value out of range', [422]), body: { ...(some('', []).body as object), temperature: 9 } },
  ];
}
