import type { TestApi } from '#test/support/api.js';

/** The most lines of one import. */
const MAX_LINES = 10_000;

/**
 * Fills the history: call n, counted from 1, was made n minutes after the beginning of 2020 in the time zone of this process, which
 * is the browser's.
 * @param before how many there are already
 */
export async function importCalls(
  api: Pick<TestApi, 'call' | 'drained' | 'key'>,
  count: number,
  before = 0,
): Promise<void> {
  for (let done = 0; done < count; done += MAX_LINES) {
    const lines = Array.from({ length: Math.min(MAX_LINES, count - done) }, (_, index) =>
      JSON.stringify(lineOf(before + done + index + 1)),
    );
    const answer = await api.call('POST', '/inferences/import', lines.join('\n'), {
      ...{ 'content-type': 'application/x-ndjson', 'x-api-key': api.key },
    });
    if (answer.body.imported !== lines.length) throw new Error(JSON.stringify(answer.body).slice(0, 500));
  }
  await api.drained();
}

const lineOf = (n: number) => ({
  id: `call-${n}`,
  created_at: new Date(new Date(2020, 0, 1).getTime() + n * 60_000).toISOString(),
  model_id: `tickets-${n % 3}`,
  input: { text: `call ${n} of a long history, which went to Lyon`, schema: { entities: ['city'] } },
  output: { entities: { city: [{ text: 'Lyon', confidence: (n % 100) / 100 }] } },
  latency_ms: 5 + (n % 300),
  input_tokens: 12,
});
