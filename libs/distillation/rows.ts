import type { WantedHead } from '#domain/distillation/index.js';
import type { JsonObject } from '#domain/json.js';
import type { RecordedCall } from './calls/canonical.js';
import { leastCount } from './agreement/bound.js';
import { withoutCopies, withoutNearCopies, type TextVectors } from './copies/copies.js';
import { proposeMapping } from './mapping/propose.js';
import { toRow } from './mapping/to-row.js';
import { studentText, type LearnedTask } from './task.js';
import { findTasks, type Task } from './tasks/find-tasks.js';

/** What is to be learned of recorded calls. */
export interface RowsOrder {
  readonly teacher: string;
  /** Id of the task's template; null: the only one that can be learned. */
  readonly task: string | null;
  readonly unmapped: 'null' | 'refuse';
  /** Where they differ from what is proposed. */
  readonly heads: readonly WantedHead[];
  readonly targetAgreement: number;
}

export type TaughtRows =
  | (LearnedTask & {
      readonly kind: 'rows';
      /** The task's. */
      readonly id: string;
      /** As datasets have them; `source_inference_id` names the call. */
      readonly rows: readonly JsonObject[];
      readonly counts: {
        readonly read: number;
        readonly ofTask: number;
        readonly notMapped: number;
        readonly copies: number;
        readonly nearCopies: number;
        readonly rows: number;
        readonly ownAgreement: number | null;
      };
    })
  /** Nothing can be learned from the calls. */
  | { readonly kind: 'refused'; readonly reason: string };

class Refused extends Error {}

type Compare = (texts: readonly string[]) => Promise<TextVectors>;

/** The training rows that recorded calls of a task give. Takes about a second for 3,000 calls. @param compare gives the vectors of texts */
export async function rowsOf(calls: readonly RecordedCall[], order: RowsOrder, compare: Compare): Promise<TaughtRows> {
  try {
    return await taught(calls, order, compare);
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', reason: error.message };
    throw error;
  }
}

async function taught(calls: readonly RecordedCall[], request: RowsOrder, compare: Compare): Promise<TaughtRows> {
  const task = taskOf(findTasks(calls).tasks, request.task, request.teacher);
  const members = task.members.map(({ id, at, answer, ...cut }) => ({ id, at, answer, text: studentText(cut) }));
  const proposal = proposeMapping(members, task.template, request.heads);
  if (proposal.kind === 'refused') throw new Refused(`task ${task.id} cannot be learned: ${proposal.reason}`);
  const { mapping, unmapped } = proposal;
  if (unmapped.length > 0 && request.unmapped === 'refuse')
    throw new Refused(
      `these fields of the answers cannot be learned: ${unmapped.map(({ path, reason }) => `${path} (${reason})`).join('; ')}`,
    );
  const answered = members.flatMap((member) => {
    const row = toRow(mapping, member);
    return row === null ? [] : [{ ...member, row: { ...row, source_inference_id: member.id }, answer: saidIn(row) }];
  });
  const { kept: distinct, copies, agreement } = withoutCopies(answered);
  const kept = withoutNearCopies(distinct, await compare(distinct.map(({ text }) => text)));
  const needed = leastCount(0, request.targetAgreement);
  if (kept.length < needed)
    throw new Refused(
      `${kept.length} calls to learn from, without copies: an agreement of ${request.targetAgreement} can be shown on ${needed} at the least, ` +
        `${needed - kept.length} more than there are`,
    );
  return {
    ...{ kind: 'rows', id: task.id, template: task.template, mapping, rows: kept.map(({ row }) => row) },
    counts: {
      read: calls.length,
      ...{ ofTask: task.members.length, notMapped: task.members.length - answered.length },
      ...{ copies, nearCopies: distinct.length - kept.length, rows: kept.length, ownAgreement: agreement },
    },
  };
}

/** What a row says, without the text and spellings in which copies differ. */
const saidIn = ({ text: _, ...said }: JsonObject): string => JSON.stringify(said).toLowerCase();

/** @throws Refused it is not there, cannot be cut with certainty, or has to be chosen */
function taskOf(tasks: readonly Task[], wanted: string | null, teacher: string): Task {
  if (wanted !== null) {
    const found = tasks.find(({ id }) => id === wanted);
    if (!found)
      throw new Refused(`the calls of ${teacher} have no task ${wanted}; GET /distillable lists those that there are`);
    return found;
  }
  const known = tasks.filter(({ cut, form }) => cut === 'certain' && form !== 'text');
  if (known.length === 1) return known[0]!;
  const listed = known.slice(0, 10).map(({ id, form, members }) => `${id} (${form}, ${members.length} calls)`);
  throw new Refused(
    known.length === 0
      ? `the calls of ${teacher} have no task that can be learned; GET /distillable says why`
      : `the calls of ${teacher} have ${known.length} tasks, name one as \`task\`: ${listed.join(', ')}`,
  );
}
