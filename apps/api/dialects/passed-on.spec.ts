import type { HostedApi } from '#test/support/hosted-api.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

const say = [{ role: 'user', content: 'Say hello' }];
const image = (url: string) => [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];

describe('a request to a hosted model', () => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
  });
  afterAll(() => hosted.close());

  it.each<[string, object, RegExp]>([
    ['/v1/chat/completions', { model: 'acme/chat', messages: say, api_base: 'https://evil.example' }, /`api_base`/],
    ['/v1/chat/completions', { model: 'acme/chat', messages: image('http://10.0.0.1/') }, /image_url\.url`/],
    ['/v1/completions', { model: 'acme/base', prompt: 'Once', extra_headers: { a: 'b' } }, /`extra_headers`/],
    ['/v1/responses', { model: 'acme/chat', input: 'Hello', base_url: 'https://evil.example' }, /`base_url`/],
    [
      '/v1/responses',
      {
        model: 'acme/chat',
        input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'http://169.254.169.254/' }] }],
      },
      /image_url\.url` must be an address that begins with https: or data: \(got http:\)/,
    ],
    ['/v1/messages', { model: 'acme/claude', max_tokens: 9, messages: say, extra_body: { a: 1 } }, /`extra_body`/],
    [
      '/v1/messages',
      {
        model: 'acme/claude',
        max_tokens: 9,
        messages: [
          { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'gopher://127.0.0.1:6379/' } }] },
        ],
      },
      /source\.url`/,
    ],
    ['/v1/embeddings', { model: 'acme/embed', input: 'Hello', api_key: 'sk-1' }, /`api_key`/],
  ])('with %s, which would redirect its provider, is 422 by name and is not sent', async (path, body, message) => {
    const before = hosted.openai.seen.length + hosted.claude.seen.length;
    const answer = await hosted.api.call('POST', path, body);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([422, expect.stringMatching(message)]);
    expect(hosted.openai.seen.length + hosted.claude.seen.length).toBe(before);
  });
});
