import type { TestApi } from '#test/support/api.js';
import { operate } from '#test/support/operate.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const ACTED_ON = ['\u001b[31m', '\u0000', '\n', '\u007f', '\u009b2J', '\u202e'];

describe('names with control characters', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  const upload = { dataset_name: 'a', filename: 'a.jsonl' };
  const job = { model_name: 'a', base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'a' }] };
  const generated = { task_type: 'ner', labels: ['city'], num_examples: 1 };
  it.each<[string, string, (name: string) => object]>([
    ['a key', '/create-api-key', (name) => ({ name })],
    ['a project', '/projects', (name) => ({ name })],
    ['a dataset', '/felix/datasets/upload/url', (name) => ({ ...upload, dataset_name: name })],
    ['a file', '/felix/datasets/upload/url', (name) => ({ ...upload, filename: name })],
    ['a file, by its other field', '/felix/datasets/upload/url', (name) => ({ dataset_name: 'a', file_name: name })],
    ['a model', '/felix/training-jobs', (name) => ({ ...job, model_name: name })],
    ['a generated dataset', '/generate', (name) => ({ ...generated, dataset_name: name })],
  ])('are refused for %s', async (_, path, body) => {
    const headers = { authorization: `Bearer ${path === '/create-api-key' ? api.session : api.key}` };
    for (const name of ACTED_ON) {
      const answer = await api.call('POST', path, body(`a${name}b`), headers);
      expect([name, answer.status]).toEqual([name, 422]);
    }
  });

  it("are refused for teams and members' addresses", async () => {
    for (const name of ACTED_ON) {
      await expect(operate(api, 'team.create', { name: `a${name}b` })).rejects.toThrow(/name of the team/);
      await expect(operate(api, 'team.add-member', { email: `a${name}b@example.com` })).rejects.toThrow(/e-mail/);
    }
  });
});
