import type { HostedApi } from '#test/support/hosted-api.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

/** Assistants that said nothing, as clients keep them in a conversation. */
describe('a turn without content', () => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
  });
  afterAll(() => hosted.close());

  const ROUTES = ['/v1/responses', '/v1/messages', '/inference'] as const;
  const ask = (route: (typeof ROUTES)[number], model: string, role: string, content: unknown) => {
    const messages = [
      { role: 'user', content: 'Read it' },
      { role, ...(content !== undefined && { content }) },
      { role: 'user', content: 'And?' },
    ];
    const body = {
      '/v1/responses': { model, input: messages },
      '/v1/messages': { model, max_tokens: 9, messages },
      '/inference': { model_id: model, messages },
    }[route];
    return hosted.api.call('POST', route, body);
  };
  const CASES = ROUTES.flatMap((route) => [undefined, null, '', []].map((content) => ({ route, content })));

  it.each(CASES)('$content of the assistant on $route is nothing to either style', async ({ route, content }) => {
    expect((await ask(route, 'acme/chat', 'assistant', content)).status).toBe(200);
    expect(hosted.openai.seen.at(-1)!.body.messages[1]).toEqual({ role: 'assistant', content: '' });
    expect((await ask(route, 'acme/claude', 'assistant', content)).status).toBe(200);
    const { messages } = hosted.claude.seen.at(-1)!.body;
    expect(messages.map(({ role }: { role: string }) => role)).not.toContain('assistant');
    expect(JSON.stringify(messages)).toMatch(/Read it.*And\?/);
  });

  it.each(ROUTES)('of the user on %s is refused by name', async (route) => {
    const { status, body } = await ask(route, 'acme/chat', 'user', null);
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toMatch(
      /(?:input|messages)\.1\.content: is required and must be a string or a list of/,
    );
  });
});
