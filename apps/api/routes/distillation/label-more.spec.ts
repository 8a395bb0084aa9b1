import type { TestApi } from '#test/support/api.js';
import type { HostedApi } from '#test/support/hosted-api.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import { askTicket, endedDistillation, sortsTickets, TICKETS_PROMPT, tickets } from '#test/support/tickets.js';

const KNOWN = 10;
const MORE = 30;
const ORDER = { teacher: 'acme/chat', target_agreement: 0.8 };

describe('calls that are too few to learn from', () => {
  let system: HostedApi;
  let api: TestApi;
  const ticket = tickets(4);
  const texts = Array.from({ length: MORE }, () => ticket().text);
  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api } = system);
    sortsTickets(system);
    for (let at = 0; at < KNOWN; at += 1) await askTicket(api, 'acme/chat', ticket().text);
    await api.drained();
  });
  afterAll(() => system.close());

  /** The lines of a file, by `custom_id`. */
  const linesOf = async (file: string | null, key: string): Promise<readonly { readonly custom_id: string }[]> => {
    if (file === null) return [];
    const headers = { authorization: `Bearer ${key}` };
    const text = await (await fetch(`${api.url}/v1/files/${file}/content`, { headers })).text();
    return text.trim().split('\n').map((line) => JSON.parse(line) as { readonly custom_id: string }); // prettier-ignore
  };
  /** Has the teacher label texts, in the very prompt of the calls. */
  const label = async (rows: readonly number[], key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const lines = rows.map((row) => {
      const messages = [
        { role: 'system', content: TICKETS_PROMPT },
        { role: 'user', content: texts[row] },
      ];
      const body = { model: 'acme/chat', messages, max_tokens: 4 };
      return JSON.stringify({ custom_id: `row-${row}`, method: 'POST', url: '/v1/chat/completions', body });
    });
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([lines.join('\n')]), 'texts.jsonl');
    const file = (await (await fetch(`${api.url}/v1/files`, { method: 'POST', headers, body: form })).json()) as {
      id: string;
    };
    const order = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' };
    const { status, body } = await api.call('POST', '/v1/batches', order, headers);
    expect([status, body.error]).toEqual([200, undefined]);
    const ended = await api.until(
      () => api.call('GET', `/v1/batches/${body.id}`, undefined, headers),
      (answer) => ['completed', 'failed'].includes(answer.body.status),
    );
    await api.drained();
    const { output_file_id: output, error_file_id: errors } = ended.body;
    return { ...ended.body, answered: await linesOf(output, key), unanswered: await linesOf(errors, key) };
  };
  const distilled = async () => {
    const { body } = await api.call('POST', '/models/tickets/distil', ORDER);
    return endedDistillation(api, body.id);
  };

  it('are joined by texts that the teacher labels within a budget, which names those that it did not reach', async () => {
    const few = await distilled();
    expect(few).toMatchObject({ status: 'refused', version: null });
    expect(few.reason).toContain(`${KNOWN} calls to learn from`);
    expect(few.reason).toContain('POST /v1/batches asks acme/chat about texts of yours, within the budget of the key');

    const asPerson = { authorization: `Bearer ${api.session}` };
    const limited = { name: 'labels', budget: 0.002 };
    const { secret_key: key, id } = (await api.call('POST', '/create-api-key', limited, asPerson)).body;
    const first = await label([...texts.keys()], key);
    expect(first.status).toBe('failed');
    expect(first.errors.data[0]).toMatchObject({
      code: 'out_of_credits',
      message: expect.stringContaining('budget'),
    });
    const rows = [...first.answered, ...first.unanswered].map(({ custom_id: row }) => row);
    expect(rows.toSorted()).toEqual([...texts.keys()].map((row) => `row-${row}`).toSorted());
    expect(first.answered.length).toBeGreaterThan(0);
    expect(first.unanswered.length).toBeGreaterThan(0);
    const { body: keys } = await api.call('GET', '/list-api-keys', undefined, asPerson);
    const used = (keys.keys as { id: string; budget_used: number }[]).find((each) => each.id === id)!;
    expect(used.budget_used).toBeLessThanOrEqual(limited.budget);

    const more = { key_id: id, budget: 1 };
    expect((await api.call('PATCH', '/limit-api-key', more, asPerson)).status).toBe(200);
    const left = first.unanswered.map(({ custom_id: row }: { custom_id: string }) => Number(row.slice('row-'.length)));
    const second = await label(left, key);
    expect([second.status, second.unanswered]).toEqual(['completed', []]);
    // Whether so few show the target is another matter.
    expect(await distilled()).toMatchObject({ calls: { rows: KNOWN + MORE }, training_job_id: expect.any(String) });
  });
});
