import { join } from 'node:path';
import { randomNumbers } from '#primitives/random-numbers.js';
import type { Client } from './client.js';
import { ticketsIn } from './improve.js';
import { say } from './show.js';
import { progressLine, type Steps } from './steps.js';
import { startTeacher, TEACHER, type StandIn } from './teacher.js';

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

/** A stand-in for a large model, which knows the right queue of each example. */
export async function startSorter(examples: string): Promise<StandIn> {
  const queues = new Map((await allTickets(examples)).map(({ text, label }) => [text, label]));
  return startTeacher((text) => queues.get(text) ?? 'product_question');
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
