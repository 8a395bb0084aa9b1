import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeAgent } from './support/describe-agent.js';

await describeAgent({
  name: 'qwen-code',
  package: '@qwen-code/qwen-code@0.24.4',
  async prepare({ prompt, model, url, key, home }) {
    await mkdir(join(home, '.qwen'));
    const settings = { privacy: { usageStatisticsEnabled: false }, general: { enableAutoUpdate: false } };
    await writeFile(join(home, '.qwen', 'settings.json'), JSON.stringify(settings));
    return {
      program: 'qwen',
      args: ['--auth-type', 'openai', '--approval-mode', 'yolo', '--prompt', prompt],
      environment: { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: model },
    };
  },
  calls: ({ work }) => [
    { name: 'read_file', input: { file_path: join(work, 'notes.txt') } },
    { name: 'write_file', input: { file_path: join(work, 'out.txt'), content: 'seen' } },
  ],
  dropped: { openai: [], anthropic: [] },
});
