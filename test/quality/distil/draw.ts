import { TEACHER } from '#apps/demo/teacher.js';
import { calibrate, openingAfter, type JudgedCall } from '#distillation/agreement/bound.js';
import type { RecordedCall } from '#distillation/calls/canonical.js';
import type { RowsOrder } from '#distillation/rows.js';
import { Random } from '#gpu-runner/engines/builtin/random.js';
import type { Case } from './cases.js';
import type { AnsweredText } from './orders.js';
import { TARGETS, type DrawResult, type LiveFigures } from './results.js';

/** Live texts that are counted, after those of which the teacher answers all. */
const LIVE = 3_000;
const WATCHED = 200;

/** Which texts are recorded, watched and asked live. */
export interface Draw {
  readonly recorded: readonly AnsweredText[];
  readonly watched: readonly AnsweredText[];
  readonly live: readonly AnsweredText[];
}

/** @param draw from 1 */
export function drawOf(own: Case, draw: number): Draw {
  const all = new Random(draw).shuffle([...own.task.calls(draw)]);
  const asked = own.isRandom ? 0 : WATCHED + LIVE;
  const count = own.recorded === 'all' ? all.length - asked : own.recorded;
  const rest = all.slice(count, count + asked);
  return { recorded: all.slice(0, count), watched: rest.slice(0, WATCHED), live: rest.slice(WATCHED) };
}

/** What is asked about a text. */
export const messagesOf = (prompt: string, text: string) => [
  { role: 'system', content: prompt },
  { role: 'user', content: text },
];

/** The calls as the history has them. */
export const recordedCalls = (prompt: string, recorded: readonly AnsweredText[]): readonly RecordedCall[] =>
  recorded.map(({ text, answer: content }, at) => ({
    ...{ id: String(at), at: new Date(at).toISOString(), model: TEACHER, cost: '0' },
    request: { messages: messagesOf(prompt, text) },
    answer: { role: 'assistant', content },
  }));

export const ORDER: RowsOrder = {
  teacher: TEACHER,
  task: null,
  unmapped: 'null',
  heads: [],
  promptVersions: 'all',
  targetAgreement: TARGETS[0],
};

/** How the student would have answered a live call. */
export interface LiveCall extends JudgedCall {
  /** Whether its answer is the teacher's, byte for byte; null: it was not compared. */
  readonly agrees: boolean;
  /** What makes the text unlike those learned; null: nothing. */
  readonly unlike: string | null;
}

/** What the student answers at each target, of which the system was asked for the lowest: a higher one's answers are among these. */
export const figuresOf = (
  judged: readonly JudgedCall[],
  watched: readonly JudgedCall[],
  live: readonly LiveCall[],
): readonly LiveFigures[] =>
  TARGETS.map((target) => {
    const nothing = { target, outOfFold: 0, isContradicted: false, answered: 0, agreed: 0, sure: 0, sureAgreed: 0 };
    const found = calibrate(judged, target);
    if (found.kind !== 'bound') return nothing;
    const { threshold, isContradicted } = openingAfter(found.bound, watched, target);
    const outOfFold = found.bound.answered / found.bound.judged;
    const sure = live.filter(({ certainty }) => !isContradicted && certainty >= threshold);
    const answered = sure.filter(({ unlike }) => unlike === null);
    const agreed = (calls: readonly LiveCall[]) => calls.filter(({ agrees }) => agrees).length;
    return {
      ...{ target, outOfFold, isContradicted, answered: answered.length, agreed: agreed(answered) },
      ...{ sure: sure.length, sureAgreed: agreed(sure) },
    };
  });

export const unlikeOf = (live: readonly LiveCall[]): DrawResult['unlike'] =>
  Object.fromEntries(
    [...Map.groupBy(live, ({ unlike }) => unlike)].flatMap(([kind, calls]) =>
      kind === null ? [] : [[kind, calls.length]],
    ),
  );
