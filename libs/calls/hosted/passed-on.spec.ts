import type { JsonObject } from '#domain/json.js';
import { refuseSteering, type Allowed } from './passed-on.js';

const NOTHING: Allowed = { fields: new Set(), schemes: new Set() };
const refusal = (body: unknown, allowed = NOTHING): string | null => {
  try {
    refuseSteering(body as JsonObject, allowed);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};
const says = (part: object) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }, part] }] });

describe('a part of a request that is never sent to a provider', () => {
  it.each([
    ...['base_url', 'api_base', 'apiBase', 'API_KEY', 'api-version', 'extra_headers', 'extra_body', 'extra_query'],
    ...['headers', 'proxy', 'custom_llm_provider', 'litellm_params', 'aws_secret_access_key', 'vertex_credentials'],
    ...['model_list', 'fallbacks', 'models', 'user_config', 'mock_response', 'organization', 'default_headers'],
  ])('is the field %s', (name) => {
    expect(refusal({ model: 'm', messages: [], [name]: 'x' })).toBe(
      `\`${name}\` is not passed on to providers; leave it out`,
    );
    expect(refusal({ [name]: 'x' }, { ...NOTHING, fields: new Set([name]) })).toBeNull();
  });

  it.each<[string, object]>([
    ['file_id', says({ type: 'file', file: { file_id: 'file-abc' } })],
    ['vector_store_ids', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }],
    ['allowed_local_media_path', { mm_processor_kwargs: { allowed_local_media_path: '/' } }],
  ])("is %s, which names what the provider's account or machine holds", (name, body) => {
    expect(refusal(body)).toMatch(new RegExp(`${name}.? is not passed on to providers: it names what`));
    expect(refusal(body, { ...NOTHING, fields: new Set([name]) })).toBeNull();
  });

  it('is a redirecting field deeper in the body', () => {
    expect(refusal({ provider: { options: [{ api_base: 'https://evil.example' }] } })).toMatch(
      /^`provider.options.0.api_base` /,
    );
  });

  it.each([
    ['http', { type: 'image_url', image_url: { url: 'http://10.0.0.1/a.png' } }],
    ['http', { type: 'image_url', image_url: 'HTTP://10.0.0.1/a.png' }],
    ['file', { type: 'image_url', image_url: { url: 'file:///etc/passwd' } }],
    ['file', { type: 'image_url', image_url: { url: ' \u0001fi\tle:/etc/passwd' } }],
    ['gopher', { type: 'image', source: { type: 'url', url: 'gopher://127.0.0.1:6379/_FLUSHALL' } }],
    ['ftp', { type: 'input_file', file_url: 'ftp://host/a.pdf' }],
    ['gs', { type: 'file', file: { file_data: 'gs://bucket/a.pdf' } }],
    ['file', { type: 'file', file: { file_data: 'file:/etc/passwd' } }],
    ['http', { type: 'video_url', video_url: { url: 'http://169.254.169.254/' } }],
    ['s3', { type: 'audio', audio_uri: 's3://bucket/key' }],
    ['http', { type: 'images', image_urls: ['https://a.example/1.png', 'http://a.example/2.png'] }],
    ['http', { type: 'tool_result', content: [{ type: 'image', source: { type: 'url', url: 'http://a.example' } }] }],
  ])('is an address that starts with %s:', (scheme, part) => {
    expect(refusal(says(part))).toMatch(new RegExp(`\`messages\\.0\\.content\\.1\\..*\\(got ${scheme}:\\)$`));
    expect(refusal(says(part), { ...NOTHING, schemes: new Set([scheme]) })).toBeNull();
  });

  it.each(['/etc/passwd', '//host/share', '\\\\host\\share', '../secret', '~/secret'])('is the path %s', (url) => {
    expect(refusal(says({ type: 'image_url', image_url: { url } }))).toMatch(/begins with https: or data:$/);
  });

  it('is a tool server without https', () => {
    expect(refusal({ tools: [{ type: 'mcp', server_url: 'http://host/mcp', headers: { 'api-key': 'x' } }] })).toMatch(
      /^`tools.0.server_url` /,
    );
  });
});

describe('parts of a request that are sent to the provider', () => {
  it.each<[string, object]>([
    ['addresses of https, and data', says({ type: 'image_url', image_url: { url: 'https://a.example/1.png' } })],
    ['data', says({ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } })],
    ['bytes without a scheme', says({ type: 'image_url', image_url: { url: '/9j/4AAQSkZJRg==' } })],
    ['files that its tools made', says({ type: 'code_execution_output', file_id: 'file-abc' })],
    ['texts about addresses', { messages: [{ role: 'user', content: 'file:///etc/passwd and http://host' }] }],
    ['text documents', says({ type: 'document', source: { type: 'text', data: 'Title: a text' } })],
    [
      'schemas that name such fields',
      {
        response_format: { type: 'json_schema', json_schema: { schema: { properties: { url: 'http://x' } } } },
        tools: [{ function: { name: 'f', parameters: { $schema: 'http://json-schema.org', api_key: {} } } }],
      },
    ],
    [
      'arguments of tool calls',
      {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', input: { url: 'http://host', api_key: 'x' } }] },
          { role: 'assistant', tool_calls: [{ function: { arguments: '{"url":"http://host"}' } }] },
        ],
      },
    ],
    [
      'sources of search results',
      says({ type: 'web_search_tool_result', content: [{ type: 'web_search_result', url: 'http://a.example' }] }),
    ],
    ['citations', says({ type: 'text', text: 'x', citations: [{ url: 'http://a.example' }] })],
    ['metadata', { metadata: { url: 'http://a.example', headers: 'x' } }],
    [
      'a server of tools with its own headers',
      { tools: [{ server_url: 'https://h/mcp', headers: { 'api-key': 'x' } }] },
    ],
    ['fields that nobody here knows', { guided_regex: 'a:b', top_a: 1, timeout: 3 }],
    ['tokens as numbers', { input: [[1, 2, 3]] }],
  ])('are %s', (_, body) => expect(refusal(body)).toBeNull());
});
