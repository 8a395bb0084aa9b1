import { DIALECTS } from '#calls/hosted/fields/index.js';
import type { Fate } from '#calls/hosted/fields/field.js';
import { startHostedApi, type HostedApi } from '#test/support/hosted-api.js';
import { answersAlike, ask, type Outcome } from './asked.js';
import { MESSAGES_SAMPLES } from './samples/anthropic-messages.js';
import { CHAT_SAMPLES } from './samples/openai-chat.js';
import { COMPLETIONS_SAMPLES } from './samples/openai-completions.js';
import { EMBEDDINGS_SAMPLES } from './samples/openai-embeddings.js';
import { RESPONSES_SAMPLES } from './samples/openai-responses.js';
import type { Samples } from './samples/samples.js';
import { valuesAt } from './values.js';

const SAMPLES: Readonly<Record<string, Samples>> = {
  '/v1/chat/completions': CHAT_SAMPLES,
  '/v1/responses': RESPONSES_SAMPLES,
  '/v1/completions': COMPLETIONS_SAMPLES,
  '/v1/messages': MESSAGES_SAMPLES,
  '/v1/embeddings': EMBEDDINGS_SAMPLES,
};

const CASES = DIALECTS.flatMap(({ path: route, fields, backends }) =>
  Object.entries(fields).flatMap(([field, fates]) =>
    SAMPLES[route]!.elsewhere?.includes(field)
      ? []
      : backends.map((backend, index) => ({ route, field, backend, fate: fates[index]! })),
  ),
);

/** Names in the header have the places of items, and no kinds of them. */
const plain = (path: string) => path.replaceAll(/\.\d+|\[[^\]]+\]/g, '');

describe('a request field', () => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await startHostedApi();
    hosted.openai.script(answersAlike);
  });
  afterAll(() => hosted.close());

  it.each(DIALECTS)('of $path has a sample, and every sample has a field', ({ path, fields }) => {
    const { bodies, elsewhere = [] } = SAMPLES[path]!;
    expect([...Object.keys(bodies), ...elsewhere].toSorted()).toEqual(Object.keys(fields).toSorted());
  });

  it.each(CASES)('$field of $route to $backend has the fate $fate', async ({ route, field, backend, fate }) => {
    const { base, bodies, kinds = {}, becomes = {}, named = {} } = SAMPLES[route]!;
    const body = { ...base, ...bodies[field] };
    const outcome = await ask(hosted, backend, route, body);
    const name = named[field] ?? plain(field).split('.').at(-1)!;
    const key = field.replace('[*]', `[${kinds[field]}]`).replace(/\*$/, 'strange');
    const given = key === 'model' ? ['model'] : valuesAt(body, key);
    expect(given).not.toEqual([]);
    if (fate === 'refused') return expectRefused(outcome, [name, ...words(field), ...Object.keys(bodies[field]!)]);
    expect(outcome).toMatchObject({ status: 200, message: '' });
    const isNamed = (told: string) =>
      told === name || `.${plain(key)}`.endsWith(`.${plain(told)}`) || told.startsWith(`${name}.`);
    expect([outcome.dropped.some(isNamed), outcome.dropped]).toEqual([fate === 'dropped', expect.anything()]);
    if (backend === 'encoder' || backend === 'embedder' || key === 'model') return;
    if (backend === 'decoder') {
      const without = await ask(hosted, backend, route, base);
      if (fate === 'sent') expect(outcome.sent).not.toEqual(without.sent);
      if (fate === 'here') expect(outcome.sent).toEqual(without.sent);
      return;
    }
    expect(valuesAt(outcome.sent, pathAfter(fate, key))).toEqual(valuesAfter(fate, given, becomes[field]));
  });
});

const pathAfter = (fate: Fate, key: string): string => (fate.startsWith('-> ') ? fate.slice(3) : key);

function valuesAfter(fate: Fate, given: readonly unknown[], changed = given): readonly unknown[] {
  if (fate === 'sent') return given;
  return fate.startsWith('-> ') ? changed : [];
}

/** The names and kinds of a path: an error may name the part of the request that the field stands in. */
const words = (path: string): readonly string[] => path.match(/[a-z_]+/g) ?? [];

function expectRefused({ status, message, sent }: Outcome, names: readonly string[]): void {
  expect([400, 422]).toContain(status);
  expect([message, names.some((name) => message.includes(name))]).toEqual([message, true]);
  expect(sent).toBeNull();
}
