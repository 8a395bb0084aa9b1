import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeAgent } from './support/describe-agent.js';

await describeAgent({
  name: 'opencode',
  package: 'opencode-ai@1.18.33',
  setUp: 'opencode-ai/postinstall.mjs',
  async prepare({ prompt, model, thinks, url, key, home }) {
    const folder = join(home, '.config', 'opencode');
    await mkdir(folder, { recursive: true });
    const facts = { name: model, reasoning: true, tool_call: true, limit: { context: 200_000, output: 8_000 } };
    const settings = {
      ...{ autoupdate: false, share: 'disabled', permission: { '*': 'allow' }, small_model: `anneal/${model}` },
      provider: {
        anneal: {
          ...{ npm: '@ai-sdk/openai-compatible', name: 'Anneal', models: { [model]: facts } },
          options: { baseURL: `${url}/v1`, apiKey: key },
        },
      },
    };
    await writeFile(join(folder, 'opencode.json'), JSON.stringify(settings));
    const without = ['AUTOUPDATE', 'MODELS_FETCH', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS'];
    return {
      program: 'opencode',
      // With a title, the model is not asked for one beside the answer.
      args: [
        'run',
        '--title',
        'A task',
        '--model',
        `anneal/${model}`,
        ...(thinks ? ['--variant', 'high'] : []),
        prompt,
      ],
      environment: Object.fromEntries(without.map((what) => [`OPENCODE_DISABLE_${what}`, '1'])),
    };
  },
  calls: ({ work }) => [
    { name: 'read', input: { filePath: join(work, 'notes.txt') } },
    { name: 'write', input: { filePath: join(work, 'out.txt'), content: 'seen' } },
  ],
  dropped: { openai: [], anthropic: [] },
});
