import { randomNumbers } from '#primitives/random-numbers.js';

const QUEUES = {
  billing: ['invoice', 'refund', 'charged twice', 'receipt', 'payment'],
  shipping: ['parcel', 'delivery', 'tracking number', 'courier', 'package'],
  account: ['password', 'login', 'email address', 'profile', 'username'],
} as const;
export type Queue = keyof typeof QUEUES;
const OPENINGS = ['Hello,', 'Hi there,', 'Good morning,', 'Dear team,', 'Hey,', 'To whom it may concern,'];
const MIDDLES = ['I have a question about my', 'please look at the', 'something is wrong with the', 'I cannot find my'];
const ENDS = ['Thanks!', 'Please answer soon.', 'Best regards', 'It is urgent.', 'Any idea?', 'I am waiting.'];
/** The constant part of a prompt that has tickets sorted. */
export const SYSTEM = 'You sort tickets of a shop. Answer with one word: billing, shipping or account.';

const random = randomNumbers(7);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
/** One of many tickets, which differ by their number. */
export const ticket = (number: number): { readonly text: string; readonly queue: Queue } => {
  const queue = pick(Object.keys(QUEUES) as Queue[]);
  const order = 1_000 + number;
  return { queue, text: `${pick(OPENINGS)} ${pick(MIDDLES)} ${pick(QUEUES[queue])} of order ${order}. ${pick(ENDS)}` };
};
/** The queue that a ticket is about. */
export const queueOf = (text: string): Queue =>
  (Object.keys(QUEUES) as Queue[]).find((queue) => QUEUES[queue].some((word) => text.includes(word))) ?? 'account';
