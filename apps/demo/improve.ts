import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.js';
import { resultLine, say } from './show.js';
import { progressLine } from './steps.js';

/** A ticket of a later week, in a language that the model has not learned, with the answer that a reviewer would give. */
interface Ticket {
  readonly text: string;
  readonly entities: readonly (readonly [text: string, label: string])[];
  readonly label: string;
}
interface Inference {
  readonly inference_id: string;
  readonly result: Parameters<typeof resultLine>[0];
}
interface Rule {
  readonly rule: string;
  readonly label: string | null;
  readonly rows: number | null;
  readonly candidate: number;
  readonly champion: number | null;
  readonly passed: boolean;
}
interface Improvement {
  readonly id: string;
  readonly status: string;
  readonly outcome: string | null;
  readonly version: number | null;
  readonly reason: string | null;
  readonly training_job_id: string | null;
  readonly gate: { readonly passed: boolean; readonly rules: readonly Rule[] } | null;
}

/** Gives a trained model a name, and puts it in use. */
export async function nameModel(api: Client, name: string, jobId: string): Promise<void> {
  await api.post('/models', { name });
  await api.post(`/models/${name}/versions`, { training_job_id: jobId });
  await promote(api, name, 1, 'the first one');
  say(`programs call ${name} from now on, whichever version answers`);
}

/** Reads the tickets of a file: one as JSON in each line. */
export async function ticketsIn(file: string): Promise<Ticket[]> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Ticket);
}

/**
 * Runs the model on each ticket, and records a verdict on the answer.
 * @returns how many were wrong
 */
export async function reviewTickets(api: Client, name: string, tickets: readonly Ticket[]): Promise<number> {
  let wrong = 0;
  for (const ticket of tickets) {
    const { inference_id, isRight } = await askAbout(api, name, ticket);
    if (!isRight) wrong += 1;
    await api.post(`/inferences/${inference_id}/feedback`, {
      reviewer: 'Ann',
      ...(isRight ? { verdict: 'correct' } : { verdict: 'incorrect', corrected_output: answerTo(ticket) }),
    });
  }
  return wrong;
}

/** Trains on the corrections, and shows how the gate decided. @throws Error when it lets nothing pass */
export async function improve(api: Client, name: string): Promise<Improvement> {
  const { id } = await api.post<Improvement>(`/models/${name}/improve`, {});
  const line = progressLine();
  const improvement = await api.until<Improvement>(
    `/improvements/${id}`,
    ({ status }) => {
      line(status);
      return ['done', 'failed', 'cancelled'].includes(status);
    },
    120,
  );
  for (const { rule, label, rows, candidate, champion, passed } of improvement.gate?.rules ?? []) {
    const was = champion === null ? '' : `, was ${figure(champion)}`;
    say(
      `${passed ? 'passed' : 'FAILED'}  ${[rule, label].join(' ').padEnd(26)} ${figure(candidate)}${was}, on ${rows} rows`,
    );
  }
  if (improvement.outcome !== 'candidate')
    throw new Error(`the improvement is ${improvement.outcome ?? improvement.status}: ${improvement.reason}`);
  say(`version ${improvement.version} is labelled ${name}@candidate`);
  return improvement;
}

/** Puts the new version in use, and asks about the same tickets by the same name. @returns how many are wrong now */
export async function takeOver(
  api: Client,
  name: string,
  { version, training_job_id }: Improvement,
  tickets: readonly Ticket[],
): Promise<number> {
  await promote(api, name, version!, 'it passed the gate');
  await untilAnsweredBy(api, name, training_job_id!);
  let wrong = 0;
  for (const ticket of tickets) if (!(await askAbout(api, name, ticket)).isRight) wrong += 1;
  say(
    `${wrong} of ${tickets.length} are wrong now; it learned from these tickets, but for those held out to measure it`,
  );
  return wrong;
}

/** A promotion is in force within a second everywhere. */
async function untilAnsweredBy(api: Client, name: string, jobId: string): Promise<void> {
  for (;;) {
    const { inference_id } = await api.post<Inference>('/inference', { model_id: name, text: 'Anna ist in Oslo' });
    const { training_job_id } = await api.get<{ training_job_id: string }>(`/inferences/${inference_id}`);
    if (training_job_id === jobId) return;
    await sleep(100);
  }
}

async function askAbout(api: Client, name: string, ticket: Ticket) {
  const { inference_id, result } = await api.post<Inference>('/inference', { model_id: name, text: ticket.text });
  const isRight = found(result) === expected(ticket);
  say(ticket.text);
  say(`  -> ${isRight ? 'right' : 'WRONG'}: ${resultLine(result)}`);
  return { inference_id, isRight };
}

const figure = (value: number): string => String(Math.round(value * 1000) / 1000);

const promote = (api: Client, name: string, version: number, reason: string): Promise<unknown> =>
  api.put(`/models/${name}/versions/${version}/promote`, { reason });

const answerTo = ({ entities, label }: Ticket) => ({
  entities: Object.fromEntries(
    [...new Set(entities.map(([, type]) => type))].map((type) => [
      type,
      entities.flatMap(([text, each]) => (each === type ? [text] : [])),
    ]),
  ),
  classification: label,
});

const found = ({ entities = {}, classification }: Inference['result']): string =>
  comparable(
    Object.entries(entities).flatMap(([label, hits]) => hits.map(({ text }) => [text, label] as const)),
    classification?.label ?? '',
  );

const expected = ({ entities, label }: Ticket): string => comparable(entities, label);

const comparable = (entities: Ticket['entities'], label: string): string =>
  JSON.stringify([entities.map((each) => each.join('\n')).toSorted(), label]);
