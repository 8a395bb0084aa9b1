import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomNumbers } from '#primitives/random-numbers.js';
import type { Client } from './client.js';
import { ticketsIn } from './improve.js';
import { say } from './show.js';
import { progressLine, type Steps } from './steps.js';

/** The model of a provider that the demo plays itself. */
const TEACHER = 'acme/large';
const NAME = 'queues';
const PROMPT = 'You sort tickets of a shop. Answer with one word: the queue that the ticket belongs to.';
const RECORDED = 500;
const WATCHED = 200;

interface Distillation {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly share: number | null;
  readonly bound: { readonly answered: number; readonly disagreements: number; readonly judged: number } | null;
  readonly cascade: { readonly state: string; readonly watched: number };
}

interface Savings {
  readonly calls: number;
  readonly answered: number;
  readonly cost: number;
  readonly cost_before: number;
}

interface Cascade {
  readonly by: string;
  readonly reason: string;
  readonly unlike?: string;
}

const said = ({ by, reason, unlike }: Cascade): string => `${by} (${reason}${unlike ? `, ${unlike}` : ''})`;

interface Listed {
  readonly inferences: readonly { readonly cascade: Cascade }[];
}

interface StandIn {
  /** Settings of a system that has it as a provider. */
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const CATALOG = join(import.meta.dirname, '..', '..', 'libs', 'models', 'catalog', 'catalog.json');
const LARGE = {
  ...{ id: TEACHER, label: 'A large model', description: 'The stand-in of the demo.', family: 'acme' },
  ...{ task_type: 'decoder', context_window: 8192, input_price_per_million: 3, output_price_per_million: 15 },
  ...{ cache_read_multiplier: 0.1, cache_write_multiplier: 1.25, provider: { name: 'acme', model: 'large' } },
  ...{ supports_inference: true, supports_training: false, supports_on_demand_inference: false },
};

/** A stand-in for a large model, which knows the right queue of each example: no provider is asked. */
export async function startTeacher(examples: string): Promise<StandIn> {
  const tickets = await allTickets(examples);
  const queues = new Map(tickets.map(({ text, label }) => [text, label]));
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { content: string }[] };
      const content = queues.get(messages.at(-1)!.content) ?? 'product_question';
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

/** A prompt of a large model becomes a small one that is asked first. @returns the line of figures */
export async function distil(api: Client, steps: Steps, examples: string): Promise<object> {
  const tickets = await allTickets(examples);
  const ask = async (model: string, from: number, to: number): Promise<void> => {
    const line = progressLine();
    for (const [at, { text }] of tickets.slice(from, to).entries()) {
      const messages = [
        { role: 'system', content: PROMPT },
        { role: 'user', content: text },
      ];
      await api.post('/v1/chat/completions', { model, messages });
      if (at % 20 === 19) line(`${at + 1} calls`);
    }
    line(`${Math.min(to, tickets.length) - from} calls of ${model}`);
  };
  await steps.run(`Ask a large model about ${RECORDED} tickets, as a program does every day`, () =>
    ask(TEACHER, 0, RECORDED),
  );
  const made = await steps.run('Distil: its recorded answers become a small model, and a bound is shown', () =>
    distilled(api),
  );
  await steps.run(`The next ${WATCHED} calls are still the large model's, and compared`, async () => {
    await ask(NAME, RECORDED, RECORDED + WATCHED);
    await api.until<Distillation>(`/distillations/${made.id}`, ({ cascade }) => cascade.state !== 'watching', 60);
  });
  await steps.run('From now on the small model answers what it is sure of', () =>
    ask(NAME, RECORDED + WATCHED, Infinity),
  );
  return steps.run('What it saves', async () => {
    const live = tickets.length - RECORDED - WATCHED;
    const seen = ({ calls }: Savings): boolean => calls === WATCHED + live;
    const { answered, cost, cost_before } = await api.until<Savings>(`/models/${NAME}/savings`, seen, 60);
    say(`${answered} of the last ${live} calls were answered here; all ${WATCHED + live} cost $${cost.toFixed(4)}`);
    const { inferences } = await api.get<Listed>(`/inferences?model_id=${NAME}&shadow=false&limit=${live}`);
    const reasons = Map.groupBy(inferences, ({ cascade }) => said(cascade));
    say([...reasons].map(([reason, calls]) => `${calls.length} ${reason}`).join(', '));
    say(`instead of $${cost_before.toFixed(4)}, at $3 and $15 a million tokens`);
    return { share: made.share, live_calls: live, answered_here: answered, cost, cost_before };
  });
}

async function distilled(api: Client): Promise<Distillation> {
  const order = { teacher: TEACHER, target_agreement: 0.9 };
  const { id } = await api.post<Distillation>(`/models/${NAME}/distil`, order);
  const line = progressLine();
  const made = await api.until<Distillation>(
    `/distillations/${id}`,
    ({ status }) => {
      line(status);
      return ['in_use', 'candidate', 'refused', 'failed', 'cancelled'].includes(status);
    },
    300,
  );
  if (made.status !== 'in_use') throw new Error(`the distillation is ${made.status}: ${made.reason}`);
  const { answered, disagreements, judged } = made.bound!;
  say(
    `of ${judged} calls it may answer ${answered}: ${disagreements} of these it answers otherwise than the large model`,
  );
  return made;
}

/** In an order of chance, the same each time. */
async function allTickets(examples: string) {
  const files = ['support-tickets.jsonl', 'support-tickets.held-out.jsonl'].map((file) => join(examples, file));
  const tickets = (await Promise.all(files.map(ticketsIn))).flat();
  const random = randomNumbers(1);
  return tickets
    .map((ticket) => ({ ticket, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ ticket }) => ticket);
}
