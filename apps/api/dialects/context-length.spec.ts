import { refuses } from '#test/support/scripted-provider.js';
import type { HostedApi } from '#test/support/hosted-api.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

const ask = [{ role: 'user', content: 'Say hello' }];
const OPENAI = [
  ['/v1/chat/completions', { messages: ask }],
  ['/v1/responses', { input: 'Say hello' }],
] as const;

const IN_OPENAI = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.";
const IN_ANTHROPIC = 'prompt is too long: 9000 tokens > 8192 maximum';

describe("a prompt that exceeds the provider's context window", () => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
  });
  afterAll(() => hosted.close());

  describe.each([
    ['acme/chat', IN_OPENAI],
    ['acme/claude', IN_ANTHROPIC],
  ])('%s', (model, message) => {
    beforeEach(() => {
      const act = refuses(400, { error: { type: 'invalid_request_error', message } });
      hosted.openai.script(act);
      hosted.claude.script(act);
    });

    it.each(OPENAI.flatMap(([path, body]) => [false, true].map((stream) => ({ path, body, stream }))))(
      "is 400 with OpenAI's error code at $path, stream: $stream",
      async ({ path, body, stream }) => {
        const answer = await hosted.api.call('POST', path, { model, stream, ...body });
        expect([answer.status, answer.body.error]).toMatchObject([
          400,
          { code: 'context_length_exceeded', type: 'invalid_request_error', message: IN_OPENAI },
        ]);
      },
    );

    it.each([false, true])("is 400 with Anthropic's error message at /v1/messages, stream: %s", async (stream) => {
      const answer = await hosted.api.call('POST', '/v1/messages', { model, stream, max_tokens: 9, messages: ask });
      expect([answer.status, answer.body.error]).toEqual([
        400,
        { type: 'invalid_request_error', message: IN_ANTHROPIC },
      ]);
    });
  });
});
