import { scanEndpoint } from 'compatcanary';
import { MODELS, startWorld, type World } from './support/world.js';

describe('compatcanary', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  it.each([MODELS.openai, MODELS.anthropic])('reports no problem with %s', async (model) => {
    const { baseUrl, key: apiKey } = world.connection();
    const { score, results } = await scanEndpoint({ baseUrl, apiKey, model, profile: 'modern' });
    expect(results.filter(({ status }) => status !== 'pass')).toEqual([]);
    expect(score).toBe(100);
  });
});
