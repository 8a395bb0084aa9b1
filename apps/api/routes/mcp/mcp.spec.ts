import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { ROUTE_TOOLS } from './tools.js';

const ROWS = Array.from(
  { length: 24 },
  (_, row) => `{"text":"order ${row} is ${row % 2 ? 'late' : 'here'}","label":"${row % 2 ? 'late' : 'here'}"}`,
).join('\n');

describe('agents at /mcp', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });

  /** A client of the protocol. @param pin the revision of the protocol that it speaks */
  async function connected(key: string, answer?: (message: string) => boolean): Promise<Client> {
    const client = new Client(
      { name: 'spec', version: '1' },
      {
        capabilities: answer ? { elicitation: { form: {} } } : {},
        ...(answer && { versionNegotiation: { mode: 'auto' } }),
      },
    );
    if (answer)
      client.setRequestHandler('elicitation/create', ({ params }) => ({
        action: 'accept',
        content: { agreed: answer(params.message) },
      }));
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit }));
    return client;
  }

  const called = async (client: Client, name: string, given: Record<string, unknown> = {}) => {
    const result = await client.callTool({ name, arguments: given });
    const texts = result.content.map((part) => (part.type === 'text' ? part.text : ''));
    return {
      isError: result.isError === true,
      texts,
      body: result.isError ? null : (JSON.parse(texts[0]!) as Record<string, unknown>),
    };
  };

  it('offers each tool with the arguments of its route, under this protocol and the one before', async () => {
    for (const answer of [undefined, () => true]) {
      const client = await connected(api.key, answer);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['create_dataset', ...ROUTE_TOOLS.map(({ name }) => name)]);
      const train = tools.find(({ name }) => name === 'train')!;
      expect(train.inputSchema.properties).toHaveProperty('base_model');
      expect(JSON.stringify(tools)).not.toContain('#/components/');
      await client.close();
    }
  });

  it('makes a dataset of given rows, which the API knows as the caller’s', async () => {
    const client = await connected(api.key);
    const { body } = await called(client, 'create_dataset', {
      dataset_name: 'by-agent',
      dataset_type: 'classification',
      rows: ROWS,
    });
    const version = String(body!['version_number']);
    const path = `/felix/datasets/by-agent/${version}`;
    const { body: record } = await api.until(
      () => api.call('GET', path),
      (answer) => answer.body.status === 'ready',
    );
    expect(record.sample_size).toBe(24);
    const seen = await called(client, 'get_dataset_version', { name: 'by-agent', version });
    expect(seen.body).toMatchObject({ status: 'ready' });
    await client.close();
  });

  it('gives the API’s own refusal, by field', async () => {
    const client = await connected(api.key);
    const refused = await called(client, 'train', { base_model: 7, no_such_field: 1 });
    expect(refused.isError).toBe(true);
    expect(refused.texts[0]).toMatch(/status 422.*no_such_field/);
    expect((await called(client, 'create_dataset', { dataset_name: 'empty' })).texts[0]).toContain('rows: is required');
    await expect(client.callTool({ name: 'sudo' })).rejects.toThrow('there is no tool "sudo"');
    await client.close();
  });

  it.each([undefined, '', '.', '..', null, {}])('asks no other route where a name is %j', async (id) => {
    const client = await connected(api.key);
    const refused = await called(client, 'erase_call', { ...(id !== undefined && { id }), confirm: true });
    expect(refused.texts).toEqual(['id: is required, and is one name or id']);
    await client.close();
  });

  describe('what cannot be undone', () => {
    const made = async (name: string) => (await api.call('POST', '/models', { name })).status;
    const exists = async (name: string) => (await api.call('GET', `/models/${name}`)).status === 200;

    it('is asked of the person, where the client can', async () => {
      await made('agreed');
      await made('not-agreed');
      const messages: string[] = [];
      const client = await connected(api.key, (message) => {
        messages.push(message);
        return !message.includes('not-agreed');
      });
      expect((await called(client, 'delete_model', { name: 'not-agreed' })).texts[0]).toContain('did not agree');
      expect((await called(client, 'delete_model', { name: 'agreed' })).isError).toBe(false);
      expect(messages).toEqual([expect.stringContaining('not-agreed'), expect.stringContaining('this name')]);
      expect([await exists('not-agreed'), await exists('agreed')]).toEqual([true, false]);
      await client.close();
    });

    it('needs a confirmation where it cannot', async () => {
      await made('confirmed');
      const client = await connected(api.key);
      expect((await called(client, 'delete_model', { name: 'confirmed' })).texts[0]).toContain('confirm: true');
      expect(await exists('confirmed')).toBe(true);
      expect((await called(client, 'delete_model', { name: 'confirmed', confirm: true })).isError).toBe(false);
      expect(await exists('confirmed')).toBe(false);
      await client.close();
    });
  });

  it('admits the caller’s own key alone, with its permissions', async () => {
    const path = `${api.url}/mcp`;
    expect((await fetch(path, { method: 'POST', body: '{}' })).status).toBe(401);
    expect((await api.call('GET', '/mcp')).status).toBe(405);
    const { key } = await api.colleague();
    const client = await connected(key);
    expect((await called(client, 'get_dataset', { name: 'by-agent' })).texts[0]).toContain('status 404');
    await client.close();
  });
});
