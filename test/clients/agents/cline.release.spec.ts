import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeAgent } from './support/describe-agent.js';

await describeAgent({
  name: 'Cline',
  package: 'cline@3.0.65',
  async prepare({ prompt, model, thinks, url, key, home }) {
    const folder = join(home, '.cline', 'data', 'settings');
    await mkdir(folder, { recursive: true });
    const provider = 'openai-compatible';
    const settings = { provider, apiKey: key, model, baseUrl: `${url}/v1` };
    const entry = { settings, updatedAt: '2026-11-23T00:00:00.000Z', tokenSource: 'manual' };
    const providers = { version: 1, lastUsedProvider: provider, providers: { [provider]: entry } };
    await writeFile(join(folder, 'providers.json'), JSON.stringify(providers));
    return {
      program: 'cline',
      args: ['--provider', provider, '--model', model, '--thinking', thinks ? 'high' : 'none', prompt],
      // Without a process of its own that outlives it.
      environment: { CLINE_SESSION_BACKEND_MODE: 'local', CLINE_NO_AUTO_UPDATE: '1', CLINE_TELEMETRY_DISABLED: '1' },
    };
  },
  calls: ({ work }) => [
    { name: 'read_files', input: { files: [{ path: join(work, 'notes.txt') }] } },
    { name: 'editor', input: { path: join(work, 'out.txt'), new_text: 'seen' } },
  ],
  dropped: { openai: [], anthropic: [] },
});
