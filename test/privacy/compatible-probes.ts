import { answers, byPath, completes, embeds } from '#test/support/scripted-answers.js';
import { begins, hangs, refuses, sends, type Act } from '#test/support/scripted-provider.js';
import { ENCODER, HOSTED, unique, type Probe } from './probes.js';

/** A call of a compatible route, and what the provider does with it: it says the text again, wherever it can. */
export interface ProviderProbe extends Probe {
  readonly act: Act;
}

const EMBEDDER = 'hosted/embed';
const BUILT_IN_EMBEDDER = 'anneal/embedder-base-v1';
const BROKE_OFF = [200, 503];

/** The body that asks about a text, by route. */
const ROUTES: Readonly<Record<string, (text: string) => object>> = {
  '/v1/chat/completions': (text) => ({
    messages: [
      { role: 'system', content: text },
      { role: 'user', content: [{ type: 'text', text }], name: text.slice(0, 20) },
    ],
    tools: [{ type: 'function', function: { name: text, description: text, parameters: { title: text } } }],
    user: text,
  }),
  '/v1/completions': (text) => ({ prompt: `${text} and then`, stop: [text.slice(0, 20)], user: text }),
  '/v1/responses': (text) => ({ input: text, instructions: text, metadata: { note: text } }),
  '/v1/messages': (text) => ({
    max_tokens: 20,
    system: text,
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    tools: [{ name: text, description: text, input_schema: { type: 'object', title: text } }],
  }),
};

/** Every route that generates, whole and streamed, each with a provider that does each of these things. */
export function compatibleProbes(store: false | undefined): readonly ProviderProbe[] {
  return Object.entries(ROUTES).flatMap(([path, ask]) =>
    [false, true].flatMap((stream) => {
      const some = (name: string, statuses: readonly number[], act: (text: string) => Act): ProviderProbe => {
        const text = unique();
        const body = { model: HOSTED, ...ask(text), stream, ...(store === false && { store }) };
        return {
          name: `${path} ${stream ? 'streamed ' : ''}${name}`,
          path: `${path}?note=${text}`,
          text,
          statuses,
          body,
          act: act(text),
        };
      };
      return [
        some('answered', [200], (text) => says(`an echo of ${text}`)),
        some('refused', [400], (text) => refuses(400, { error: { message: `no ${text}`, code: text, param: text } })),
        some('not let in', [503], (text) => refuses(401, { error: { message: `no ${text}` } })),
        some('failed', [503], (text) => refuses(500, { error: { message: `no ${text}` } })),
        some('not answered', [503], () => hangs),
        some('broken off', BROKE_OFF, (text) => says(text, { error: { message: text, code: text } })),
        some('answered with nonsense', [503], (text) => sends(`{"${text}`, 'application/json')),
        some('answered with a stream of nonsense', [503], (text) => sends(`data: {"${text}\n\n`, 'text/event-stream')),
      ];
    }),
  );
}

/** Calls that reach no provider. */
export function compatibleProbesHere(store: false | undefined): readonly Probe[] {
  const some = (name: string, path: string, statuses: readonly number[], ask: (text: string) => object): Probe => {
    const text = unique();
    const body = { model: ENCODER, ...ask(text), ...(store === false && { store }) };
    return { name: `${path} ${name}`, path: `${path}?note=${text}`, text, statuses, body };
  };
  const chats = Object.entries(ROUTES).filter(([path]) => path !== '/v1/completions');
  return [
    ...Object.entries(ROUTES).flatMap(([path, ask]) => [
      some('with a value out of range', path, [422], (text) => ({ ...ask(text), model: HOSTED, temperature: 9 })),
      some('with a field of the wrong type', path, [422], (text) => ({
        ...ask(text),
        model: HOSTED,
        stop: { a: text },
        temperature: text,
      })),
      some('with an unknown model', path, [404], (text) => ({ ...ask(text), model: text })),
      some('with an unknown project', path, [404], (text) => ({ ...ask(text), model: HOSTED, project_id: text })),
    ]),
    ...chats.flatMap(([path]) => {
      const asks = (text: string) =>
        path === '/v1/responses'
          ? { input: `${text} left Paris` }
          : {
              messages: [{ role: 'user', content: `${text} left Paris` }],
              ...(path === '/v1/messages' && { max_tokens: 20 }),
            };
      return [
        some('of an encoder', path, [200], (text) => ({ ...asks(text), schema: [text] })),
        some('of an encoder, streamed', path, [200], (text) => ({ ...asks(text), schema: [text], stream: true })),
        some('of an encoder without labels', path, [422], asks),
      ];
    }),
    some('built in', '/v1/embeddings', [200], (text) => ({ model: BUILT_IN_EMBEDDER, input: [text, `b ${text}`] })),
    some('wrong', '/v1/embeddings', [422], (text) => ({ model: BUILT_IN_EMBEDDER, input: { a: text } })),
  ];
}

/** Streams that the provider has begun and does not end. */
export function hangingStreams(): readonly ProviderProbe[] {
  const never = new Promise<never>(() => undefined);
  return Object.entries(ROUTES).map(([path, ask]) => {
    const text = unique();
    const body = { model: HOSTED, ...ask(text), stream: true, store: false };
    const again = `${text} again`;
    const act = byPath({ 'chat/completions': begins(again, 'hang'), completions: completes(again, { hold: never }) });
    return { name: `${path} killed`, path, text, statuses: [200], body, act };
  });
}

/** A provider that does with each call what its probe says. */
export function doingEach(probes: readonly ProviderProbe[], others: Act): Act {
  return (response, request) => {
    const asked = JSON.stringify(request.body);
    const { act } = probes.find(({ text }) => asked.includes(text)) ?? { act: others };
    return act(response, request);
  };
}

/** Embeddings of a provider that answers, and one that does not. */
export function embeddingProbes(store: false | undefined): readonly ProviderProbe[] {
  const some = (name: string, statuses: readonly number[], act: Act): ProviderProbe => {
    const text = unique();
    const body = { model: EMBEDDER, input: [text], user: text, ...(store === false && { store }) };
    return { name: `/v1/embeddings ${name}`, path: '/v1/embeddings', text, statuses, body, act };
  };
  return [some('answered', [200], embeds()), some('failed', [503], refuses(500))];
}

function says(text: string, options: Parameters<typeof answers>[1] = {}): Act {
  return byPath({ 'chat/completions': answers(text, options), completions: completes(text, options) });
}
