import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Catalog id of the stand-in. */
export const TEACHER = 'acme/large';

export interface StandIn {
  /** Settings of a system that has it as a provider. */
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const CATALOG = join(import.meta.dirname, '..', '..', 'libs', 'models', 'catalog', 'catalog.json');
const LARGE = {
  ...{ id: TEACHER, label: 'A large model', description: 'A stand-in.', family: 'acme' },
  ...{ task_type: 'decoder', context_window: 8192, input_price_per_million: 3, output_price_per_million: 15 },
  ...{ cache_read_multiplier: 0.1, cache_write_multiplier: 1.25, provider: { name: 'acme', model: 'large' } },
  ...{ supports_inference: true, supports_training: false, supports_on_demand_inference: false },
};

/** A stand-in for a large model: no provider is asked. @param answerTo the last message of a call */
export async function startTeacher(answerTo: (text: string) => string): Promise<StandIn> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { content: string }[] };
      const content = answerTo(messages.at(-1)!.content);
      const usage = { prompt_tokens: 800, completion_tokens: 3 };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [{ index: 0, message: { content }, finish_reason: 'stop' }], usage }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = await mkdtemp(join(tmpdir(), 'anneal-demo-'));
  const [providers, catalog, key] = ['providers.json', 'catalog.json', 'key'].map((name) => join(folder, name));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  await writeFile(key!, 'none');
  await writeFile(
    providers!,
    JSON.stringify({ providers: { acme: { style: 'openai', base_url, api_key_file: key } } }),
  );
  const own = JSON.parse(await readFile(CATALOG, 'utf8')) as { readonly models: readonly object[] };
  await writeFile(catalog!, JSON.stringify({ ...own, models: [...own.models, LARGE] }));
  return {
    settings: { ANNEAL_PROVIDERS: providers!, ANNEAL_MODEL_CATALOG: catalog! },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
