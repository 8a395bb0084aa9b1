import type { PromptVersions, WantedHead } from '#domain/distillation/index.js';
import type { JsonObject } from '#domain/json.js';
import type { RecordedCall } from './calls/canonical.js';
import { leastCount } from './agreement/bound.js';
import { tooOneSided } from './agreement/one-sided.js';
import { withoutCopies, withoutNearCopies, type TextVectors } from './copies/copies.js';
import { labelDescriptions } from './mapping/descriptions.js';
import { leavesOf } from './mapping/json-text.js';
import { formOf, FREE_TEXT, proposeMapping, whyRefused } from './mapping/propose.js';
import { toRow } from './mapping/to-row.js';
import { studentText, type LearnedTask } from './task.js';
import { findTasks, type Task } from './tasks/find-tasks.js';
import { newestWords, versionsOf } from './tasks/versions.js';

/** What is to be learned of recorded calls. */
export interface RowsOrder {
  readonly teacher: string;
  /** Id of the task's template; null: the only one that can be learned, or the newest version of its prompt. */
  readonly task: string | null;
  /**
   * Whether the task was learned before, so that its prompt may have changed: its newest version is learned, or where no call has it any
   * more, the only task.
   */
  readonly again?: boolean;
  /** Whether the calls of other versions of the prompt are learned as well. */
  readonly promptVersions: PromptVersions;
  readonly unmapped: 'null' | 'refuse';
  /** Where they differ from what is proposed. */
  readonly heads: readonly WantedHead[];
  readonly targetAgreement: number;
  /** A language model is to learn the answers as they are (`chatsOf`). Absent: an encoder. */
  readonly taskType?: 'decoder' | undefined;
}

export interface RowCounts {
  readonly read: number;
  readonly ofTask: number;
  readonly notMapped: number;
  /** Calls of older or newer versions of the prompt, whether they are learned or not. */
  readonly otherVersions: number;
  readonly copies: number;
  readonly nearCopies: number;
  readonly rows: number;
  readonly ownAgreement: number | null;
}

export type TaughtRows =
  | (Required<LearnedTask> & {
      readonly kind: 'rows';
      /** The task's. */
      readonly id: string;
      /** As datasets have them; `source_inference_id` names the call. */
      readonly rows: readonly JsonObject[];
      readonly counts: RowCounts;
    })
  /** Nothing can be learned from the calls. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Nothing can be learned from the calls. */
export class Refused extends Error {}

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

/**
 * The task that is to be learned of calls, with those of its calls that are, the oldest first.
 * @throws Refused there is none
 */
export function learnedCalls(calls: readonly RecordedCall[], request: RowsOrder) {
  const { tasks } = findTasks(calls);
  const found = taskOf(tasks, request);
  const newest = newestWords(found);
  const ofAll = versionsOf(found, tasks).flatMap((each) => each.members);
  const isAll = request.promptVersions === 'all';
  const asked = (isAll ? ofAll : newest.members).toSorted((one, other) => (one.at < other.at ? -1 : 1));
  const members = asked.map(({ id, at, answer, ...cut }) => ({ id, at, answer, text: studentText(cut) }));
  const otherVersions = ofAll.length - newest.members.length;
  return {
    ...{ task: isAll ? found : newest, members },
    counts: { read: calls.length, ofTask: members.length, otherVersions },
  };
}

/** Without copies. The newest is kept: what a person said is newer than what the model said. */
export function newestOfCopies<T extends Parameters<typeof withoutCopies>[0][number] & { readonly id: string }>(
  calls: readonly RecordedCall[],
  answered: readonly T[],
) {
  const corrected = new Set(calls.flatMap(({ id, isCorrected }) => (isCorrected ? [id] : [])));
  return withoutCopies(answered.map((each) => ({ ...each, at: `${corrected.has(each.id) ? 1 : 0} ${each.at}` })));
}

async function taught(calls: readonly RecordedCall[], request: RowsOrder, compare: Compare): Promise<TaughtRows> {
  const { task, members, counts } = learnedCalls(calls, request);
  const proposal = proposeMapping(members, task.template, request.heads);
  const form = formOf(task.form, proposal, members);
  // Of few short answers nobody can say whether they are a few labels.
  if (proposal.kind === 'refused' && proposal.reason === FREE_TEXT && form === 'label')
    requireEnough(members.length, request);
  if (proposal.kind === 'refused') {
    const { reason, isOneSided } = whyRefused(proposal, form);
    throw new Refused(`task ${task.id} cannot be learned: ${reason}${isOneSided ? `; ${asksMore(request)}` : ''}`);
  }
  const { mapping, unmapped } = proposal;
  if (unmapped.length > 0 && request.unmapped === 'refuse')
    throw new Refused(
      `these fields of the answers cannot be learned: ${unmapped.map(({ path, reason }) => `${path} (${reason})`).join('; ')}`,
    );
  const answered = members.flatMap((member) => {
    const row = toRow(mapping, member);
    if (row === null) return [];
    const { text: _, ...said } = row;
    return [{ ...member, row: { ...row, source_inference_id: member.id }, said, answer: spelledAlike(said) }];
  });
  const { kept: distinct, copies, agreement } = newestOfCopies(calls, answered);
  const kept = withoutNearCopies(distinct, await compare(distinct.map(({ text }) => text)));
  const labels = new Set(kept.flatMap(({ row }) => labelsOf(row)));
  const described = Object.fromEntries(
    Object.entries(labelDescriptions(task.template, mapping)).filter(([label]) => labels.has(label)),
  );
  requireEnough(kept.length, request);
  // Were a model right with all.
  const oneSided = tooOneSided(
    kept.map(({ said }) => said),
    kept.length,
  );
  if (oneSided !== null) throw new Refused(`${oneSided}; ${asksMore(request)}`);
  return {
    ...{
      kind: 'rows',
      id: task.id,
      template: task.template,
      mapping,
      labelDescriptions: described,
      rows: kept.map(({ row }) => row),
    },
    counts: {
      ...{ ...counts, notMapped: members.length - answered.length },
      ...{ copies, nearCopies: distinct.length - kept.length, rows: kept.length, ownAgreement: agreement },
    },
  };
}

const asksMore = ({ teacher }: RowsOrder): string =>
  `\`label\` has ${teacher} asked about texts of a dataset first, within a budget`;

/** @throws Refused no agreement can be shown on so many */
function requireEnough(calls: number, request: RowsOrder): void {
  const { targetAgreement } = request;
  const needed = leastCount(0, targetAgreement);
  if (calls < needed)
    throw new Refused(
      `${calls} calls to learn from, without copies: an agreement of ${targetAgreement} can be shown on ${needed} at the least, ` +
        `${needed - calls} more than there are: ${asksMore(request)}`,
    );
}

/** What a row says, without the spellings in which copies differ. */
const spelledAlike = (said: JsonObject): string => JSON.stringify(said).toLowerCase();

/** The labels of a row, of any task. */
const labelsOf = ({ label, labels }: JsonObject): readonly string[] => leavesOf([label ?? [], labels ?? []]);

/** @throws Refused it is not there, cannot be cut with certainty, or has to be chosen */
export function taskOf(tasks: readonly Task[], { task: wanted, teacher, taskType, again = false }: RowsOrder): Task {
  const found = tasks.find(({ id }) => id === wanted);
  if (found) return again ? versionsOf(found, tasks)[0]! : found;
  if (wanted !== null && !again)
    throw new Refused(`the calls of ${teacher} have no task ${wanted}; GET /distillable lists those that there are`);
  const known = tasks.filter(({ cut, form }) => cut === 'certain' && (form !== 'text' || taskType === 'decoder'));
  const [newest] = known.length > 0 ? versionsOf(known[0]!, known) : [];
  if (newest && versionsOf(newest, known).length === known.length) return newest;
  const listed = known.slice(0, 10).map(({ id, form, members }) => `${id} (${form}, ${members.length} calls)`);
  throw new Refused(
    known.length === 0
      ? `the calls of ${teacher} have no task that can be learned; GET /distillable says why`
      : `the calls of ${teacher} have ${known.length} tasks, name one as \`task\`: ${listed.join(', ')}`,
  );
}
