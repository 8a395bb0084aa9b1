import { needsCorrection, VERDICTS } from '#domain/feedback/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { printableLines } from '#domain/printable.js';
import type { Send } from './api.js';

export interface Terminal {
  show(text: string): void;
  /** null when the user has ended the input. */
  ask(prompt: string): Promise<string | null>;
}

interface Item {
  readonly inference_id: string;
  readonly reason: { readonly text: string; readonly shadow?: { readonly output: Json } };
  readonly inference: { readonly model_id: string; readonly input: Json; readonly output: Json };
}

/** The user's decision on an item. */
type Done = 'judged' | 'skipped' | 'quit';

/** A verdict's key is its first letter. */
const PROMPT = `${VERDICTS.map((verdict) => `[${verdict[0]}]${verdict.slice(1)}  `).join('')}[s]kip  [q]uit: `;
const IN_OTHER_HANDS = 409;

/**
 * Shows the items of the review queue one by one, reserved, and records the user's verdicts.
 * @param query of `GET /review`, with `reviewer` if the user gave a name
 * @returns the number of verdicts
 */
export async function reviewSession(send: Send, terminal: Terminal, query: URLSearchParams): Promise<number> {
  const seen = new Set<string>();
  const reviewer = query.get('reviewer');
  const post = (path: string, body: JsonObject = {}) =>
    send('POST', path, { ...body, ...(reviewer !== null && { reviewer }) });
  let verdicts = 0;
  for (;;) {
    const { body } = await send('GET', `/review?${query}`);
    const items = (body as unknown as { items: readonly Item[] }).items.filter((item) => !seen.has(item.inference_id));
    if (items.length === 0) {
      terminal.show('Nothing is left to review.');
      return verdicts;
    }
    for (const item of items) {
      seen.add(item.inference_id);
      const reserved = await post(`/review/${item.inference_id}/reserve`);
      if (reserved.status === IN_OTHER_HANDS) continue;
      terminal.show(shown(item));
      const done = await judge(item.inference_id, post, terminal);
      if (done === 'judged') verdicts += 1;
      if (done === 'quit') return verdicts;
    }
  }
}

const shown = ({ inference_id, reason, inference: { model_id, input, output } }: Item): string =>
  printableLines(
    [
      `\n${inference_id}  ${model_id}  (${reason.text})`,
      `input:  ${JSON.stringify(input, null, 2)}`,
      `answer: ${JSON.stringify(output, null, 2)}`,
      ...(reason.shadow ? [`shadow: ${JSON.stringify(reason.shadow.output, null, 2)}`] : []),
    ].join('\n'),
  );

/** Asks until the answer is taken. */
async function judge(
  id: string,
  post: (path: string, body?: JsonObject) => ReturnType<Send>,
  terminal: Terminal,
): Promise<Done> {
  const feedback = async (body: JsonObject): Promise<Done> => {
    await post(`/inferences/${id}/feedback`, body);
    return 'judged';
  };
  const quit = async (): Promise<Done> => {
    await post(`/review/${id}/release`);
    return 'quit';
  };
  for (;;) {
    const key = (await terminal.ask(PROMPT))?.trim();
    try {
      const verdict = VERDICTS.find(([letter]) => letter === key);
      if (verdict !== undefined) {
        if (!needsCorrection(verdict)) return await feedback({ verdict });
        const corrected = await terminal.ask('The correct answer, as JSON: ');
        if (corrected === null) return await quit();
        return await feedback({ verdict, corrected_output: JSON.parse(corrected) as Json });
      }
      switch (key) {
        case 's':
          await post(`/review/${id}/skip`);
          return 'skipped';
        case 'q':
        case undefined:
          return await quit();
        default:
          terminal.show(`Type ${VERDICTS.map(([letter]) => letter).join(', ')}, s or q.`);
      }
    } catch (error) {
      terminal.show((error as Error).message);
    }
  }
}
