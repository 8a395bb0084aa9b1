import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeAgent } from './support/describe-agent.js';

await describeAgent({
  name: 'Pi',
  package: '@mariozechner/pi-coding-agent@0.73.1',
  async prepare({ prompt, model, thinks, url, key, home }) {
    const folder = join(home, '.pi', 'agent');
    await mkdir(folder, { recursive: true });
    const models = [{ id: model, reasoning: true, contextWindow: 200_000, maxTokens: 8_000 }];
    const anneal = { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: key, models };
    await writeFile(join(folder, 'models.json'), JSON.stringify({ providers: { anneal } }));
    const thinking = ['--thinking', thinks ? 'high' : 'off'];
    return {
      program: 'pi',
      args: ['--provider', 'anneal', '--model', model, ...thinking, '--print', prompt],
      environment: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
    };
  },
  calls: () => [
    { name: 'read', input: { path: 'notes.txt' } },
    { name: 'write', input: { path: 'out.txt', content: 'seen' } },
  ],
  dropped: { openai: [], anthropic: [] },
  losesThoughts: true,
});
