import { randomNumbers } from '#primitives/random-numbers.js';
import type { TestApi } from './api.js';
import type { HostedApi } from './hosted-api.js';
import { answers } from './scripted-answers.js';
import type { Act } from './scripted-provider.js';

const QUEUES = {
  billing: ['invoice', 'refund', 'charged twice', 'receipt', 'payment'],
  shipping: ['parcel', 'delivery', 'tracking number', 'courier', 'package'],
  account: ['password', 'login', 'email address', 'profile', 'username'],
} as const;
export type Queue = keyof typeof QUEUES;
const OPENINGS = ['Hello,', 'Hi there,', 'Good morning,', 'Dear team,', 'Hey,', 'To whom it may concern,'];
const MIDDLES = ['I have a question about my', 'please look at the', 'something is wrong with the', 'I cannot find my'];
const ENDS = ['Thanks!', 'Please answer soon.', 'Best regards', 'It is urgent.', 'Any idea?', 'I am waiting.'];

export const TICKETS_PROMPT = 'You sort tickets of a shop. Answer with one word: billing, shipping or account.';
/** A text of which a model of some tickets is sure. */
export const SURE_TICKET = 'Hello, please look at the invoice of order 4711. Thanks!';

export interface Ticket {
  readonly text: string;
  readonly queue: Queue;
}

/** Tickets to a shop, the same in every run; no two are equal. */
export function tickets(seed: number): () => Ticket {
  const random = randomNumbers(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  let order = 1_000;
  return () => {
    const queue = pick(Object.keys(QUEUES) as Queue[]);
    order += 1;
    return {
      queue,
      text: `${pick(OPENINGS)} ${pick(MIDDLES)} ${pick(QUEUES[queue])} of order ${order}. ${pick(ENDS)}`,
    };
  };
}

export const queueOf = (text: string): Queue =>
  (Object.keys(QUEUES) as Queue[]).find((queue) => QUEUES[queue].some((word) => text.includes(word))) ?? 'account';

/** Has the provider sort tickets without a mistake. */
export const sortsTickets = ({ openai }: Pick<HostedApi, 'openai'>): void => openai.script(sorted);

/** The answer of a provider that does. */
export const sorted: Act = (response, request) =>
  answers(queueOf(request.body.messages.at(-1).content as string), {
    usage: { prompt_tokens: 40, completion_tokens: 2 },
  })(response, request);

/** Asks a model to sort a ticket. */
export const askTicket = (api: Pick<TestApi, 'call'>, model: string, text: string, more: object = {}) =>
  api.call('POST', '/v1/chat/completions', {
    model,
    messages: [
      { role: 'system', content: TICKETS_PROMPT },
      { role: 'user', content: text },
    ],
    ...more,
  });

/** The distillation once it has ended. */
export const endedDistillation = async (api: TestApi, id: string) =>
  (
    await api.until(
      () => api.call('GET', `/distillations/${id}`),
      ({ body }) => body.completed_at !== null,
    )
  ).body;
