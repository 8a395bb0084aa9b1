import { canonicalAnswer, type CanonicalAnswer } from '../calls/answers.js';
import { canonicalRequest, type CanonicalRequest, type RecordedCall } from '../calls/canonical.js';
import type { ReadCall } from '../calls/read-call.js';
import { buildTemplates, MIN_CALLS, type BuiltTemplate } from './build-templates.js';
import { shapeOf, type AnswerForm } from './forms.js';
import { answersElsewhere } from './left-out-values.js';
import { cut } from './matcher.js';
import { constantLength, templateId, type Template } from './template.js';

/** A call of a task, with the text that was cut out of it. */
export interface Member {
  readonly id: string;
  readonly at: string;
  readonly model: string;
  readonly cost: string;
  readonly text: string;
  readonly parameters: readonly string[];
  readonly answer: CanonicalAnswer;
}

/** Recorded calls with one constant part. */
export interface Task {
  /** `templateId`. */
  readonly id: string;
  /** Roles, tools and schema of the request: versions of one prompt have the same. */
  readonly bucket: string;
  readonly template: Template;
  /** `ask`: the cut is not certain, as `reason` says; empty otherwise. */
  readonly cut: 'certain' | 'ask';
  readonly reason: string;
  readonly form: AnswerForm;
  /** Oldest first. */
  readonly members: readonly Member[];
}

/** Calls of which no task can be made. */
export interface RefusedCalls {
  readonly bucket: string;
  readonly reason: string;
  readonly ids: readonly string[];
}

export interface FoundTasks {
  /** Those with the most calls first. */
  readonly tasks: readonly Task[];
  readonly refused: readonly RefusedCalls[];
}

/** Constant characters of a prompt without tools and schema. */
const MIN_CONSTANT = 10;
/** Rounds in which calls that match no template of their bucket are looked at again. */
const MAX_ROUNDS = 6;

/**
 * Groups recorded calls into tasks by the constant part of their prompts, without being told what it is.
 * @param calls with an answer, in any order
 */
export function findTasks(calls: readonly RecordedCall[]): FoundTasks {
  const refused: RefusedCalls[] = [];
  const tasks: Task[] = [];
  const buckets = new Map<string, ReadCall[]>();
  const unread: string[] = [];
  for (const call of calls) {
    const [request, answer] = [canonicalRequest(call.request), canonicalAnswer(call.answer)];
    if (request === null || answer === null) {
      unread.push(call.id);
      continue;
    }
    const key = bucketOf(request);
    const bucket = buckets.get(key);
    if (bucket) bucket.push({ call, request, answer });
    else buckets.set(key, [{ call, request, answer }]);
  }
  if (unread.length > 0) refused.push({ bucket: '', reason: 'more than texts, or more than one answer', ids: unread });
  for (const [bucket, members] of buckets) tasksOf(bucket, members, tasks, refused);
  return { tasks: tasks.sort((one, other) => other.members.length - one.members.length), refused };
}

const bucketOf = ({ parts, tools, format }: CanonicalRequest): string =>
  JSON.stringify([parts.map(({ role }) => role), tools, format]);

function tasksOf(bucket: string, calls: readonly ReadCall[], tasks: Task[], refused: RefusedCalls[]): void {
  let left = [...calls].sort(
    (one, other) => compare(one.call.at, other.call.at) || compare(one.call.id, other.call.id),
  );
  const refuse = (reason: string, of: readonly ReadCall[]) =>
    refused.push({ bucket, reason, ids: of.map(({ call }) => call.id) });
  for (let round = 0; round < MAX_ROUNDS && left.length >= MIN_CALLS; round += 1) {
    const taken = new Set<ReadCall>();
    for (const built of buildTemplates(left)) {
      const task = taskOf(bucket, built);
      if (task === 'no constant part') continue;
      if (typeof task === 'string') refuse(task, built.calls);
      else tasks.push(task);
      const ids = typeof task === 'string' ? null : new Set(task.members.map(({ id }) => id));
      for (const call of built.calls) if (ids === null || ids.has(call.call.id)) taken.add(call);
    }
    if (taken.size === 0) break;
    left = left.filter((call) => !taken.has(call));
  }
  if (left.length > 0) refuse(left.length < MIN_CALLS ? 'too few calls' : 'the prompt has no constant part', left);
}

/** The task of a template, or why it is none. */
function taskOf(bucket: string, { template, judged, calls }: BuiltTemplate): Task | string {
  const isBare = template.tools.length === 0 && template.format === null;
  if (isBare && constantLength(template) < MIN_CONSTANT) return 'no constant part';
  if (judged.kind === 'refused') return judged.reason;
  const members = calls.flatMap((call) => memberOf(template, call));
  const { form } = shapeOf(members.map(({ answer }) => answer));
  const reason = judged.kind === 'certain' ? answersElsewhere(template, calls) : judged.reason;
  return { id: templateId(template), bucket, template, cut: reason === '' ? 'certain' : 'ask', reason, form, members };
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function memberOf(template: Template, { call, request, answer }: ReadCall): readonly Member[] {
  const found = cut(template, request);
  const { id, at, model, cost } = call;
  return found === null ? [] : [{ id, at, model, cost, ...found, answer }];
}
