import type { RecordedCall } from '../calls/canonical.js';
import { leastCount } from '../agreement/bound.js';
import { ceilingOf, withoutCopies } from '../copies/copies.js';
import { foldLabel } from '../mapping/labels.js';
import type { FieldNote, Proposal } from '../mapping/mapping.js';
import { formOf, FREE_TEXT, proposeMapping, whyRefused } from '../mapping/propose.js';
import { studentText } from '../task.js';
import { findTasks, type Member, type Task } from '../tasks/find-tasks.js';
import type { AnswerForm } from '../tasks/forms.js';
import type { Template } from '../tasks/template.js';
import { estimateOf, isRandom, spread, TARGETS, type Estimate, type NoEstimate } from './estimate.js';
import { headsIn, type Head } from './heads.js';

/** A recorded call and what it took. */
export interface SurveyedCall extends RecordedCall {
  /** Catalog id of the model. */
  readonly teacher: string;
  readonly tokens: number;
}

/** Calls, tokens and cost of a group, and the time that they span. */
export interface Spent {
  readonly calls: number;
  readonly tokens: number;
  /** Picodollars. */
  readonly cost: string;
  /** ISO 8601. */
  readonly first: string;
  readonly last: string;
}

/** Why no small model can do a task, or why a person is to be asked before. */
export type Doubt =
  | { readonly code: 'free_text' | 'answers_not_mapped' | 'one_sided' | 'cut_not_certain'; readonly said: string }
  /** Distinct calls that are missing for the least that shows an agreement of 95%. */
  | { readonly code: 'too_few_calls'; readonly missing: number }
  /** A quick model agrees with the teacher no more often than the commonest answer does. */
  | { readonly code: 'random'; readonly agreement: number; readonly guessed: number }
  /** Copies of a text were answered alike so seldom that no student can agree more often. */
  | { readonly code: 'teacher_disagrees_with_itself'; readonly agreement: number }
  | { readonly code: 'unmapped_fields'; readonly fields: readonly FieldNote[] }
  | { readonly code: 'uncertain_fields'; readonly fields: readonly FieldNote[] };

/** A task that some recorded calls of a model have in common, and whether a small model can do it. */
export interface SurveyedTask extends Spent {
  /** `templateId`. */
  readonly id: string;
  readonly teacher: string;
  readonly form: AnswerForm;
  /** Whether the request names a schema of the answer. */
  readonly hasSchema: boolean;
  /** The constant part of the prompt, shortened, with `…` where calls differ and `{text}` where the text stands. */
  readonly prompt: string;
  /** Calls without copies: what a model learns from. */
  readonly distinct: number;
  /** Share of copies that were answered alike; null without copies. */
  readonly selfAgreement: number | null;
  /** `ask`: a person is to say first whether the doubts matter. */
  readonly verdict: 'yes' | 'ask' | 'no';
  readonly doubts: readonly Doubt[];
  /** null if the answers cannot be mapped. */
  readonly heads: readonly Head[] | null;
  readonly estimate: Estimate | null;
  /** Why there is none; null if there is one, or the answers cannot be mapped. */
  readonly noEstimate: NoEstimate | null;
}

/** Calls of a model of which no task can be made. */
export interface RefusedGroup extends Spent {
  readonly teacher: string;
  readonly reason: string;
}

export interface Survey {
  /** Those that cost most first. */
  readonly tasks: readonly SurveyedTask[];
  readonly refused: readonly RefusedGroup[];
}

/** The target that the least number of calls is told for. */
const TARGET = TARGETS[1]!;
/** Calls of a task whose answers are looked at. */
const MOST_MAPPED = 2_000;
const MAX_PROMPT = 400;
/** Verdicts are `no` for these. */
const FATAL: readonly Doubt['code'][] = ['free_text', 'answers_not_mapped', 'one_sided', 'too_few_calls', 'random'];

/** The tasks in some recorded calls, of each model apart. */
export function surveyOf(calls: readonly SurveyedCall[]): Survey {
  const byId = new Map(calls.map((call) => [call.id, call]));
  const spentOn = (ids: readonly string[]) => spent(ids.map((id) => byId.get(id)!));
  const found = [...Map.groupBy(calls, ({ teacher }) => teacher)].map(([teacher, own]) => ({
    teacher,
    ...findTasks(own),
  }));
  const tasks = found.flatMap(({ teacher, tasks: own }) =>
    own.map((task) => ({ ...surveyed(task), teacher, ...spentOn(task.members.map(({ id }) => id)) })),
  );
  const refused = found.flatMap(({ teacher, refused: own }) =>
    [...Map.groupBy(own, ({ reason }) => reason)].map(([reason, groups]) => ({
      ...{ teacher, reason },
      ...spentOn(groups.flatMap(({ ids }) => ids)),
    })),
  );
  return { tasks: tasks.sort(byCost), refused: refused.sort(byCost) };
}

const byCost = (one: Spent, other: Spent): number =>
  Number(BigInt(other.cost) - BigInt(one.cost)) || other.calls - one.calls;

function spent(calls: readonly SurveyedCall[]): Spent {
  const times = calls.map(({ at }) => at);
  return {
    calls: calls.length,
    tokens: calls.reduce((sum, { tokens }) => sum + tokens, 0),
    cost: String(calls.reduce((sum, { cost }) => sum + BigInt(cost), 0n)),
    first: times.reduce((one, other) => (one < other ? one : other)),
    last: times.reduce((one, other) => (one > other ? one : other)),
  };
}

function surveyed(task: Task): Omit<SurveyedTask, 'teacher' | keyof Spent> {
  const { id, template, members, cut, reason } = task;
  const answered = members.map((member) => ({ ...member, folded: foldedAnswer(member) }));
  const { kept, agreement } = withoutCopies(
    answered.map((member) => ({ text: studentText(member), answer: member.folded, at: member.at, member })),
  );
  const own = spread(
    kept.map(({ member, text }) => ({ ...member, text })),
    MOST_MAPPED,
  );
  const proposal = proposeMapping(own, template);
  const form = formOf(task.form, proposal, own);
  const estimated = proposal.kind === 'mapped' ? estimateOf(proposal, own) : null;
  const estimate = estimated?.kind === 'estimate' ? estimated.estimate : null;
  const missing = leastCount(0, TARGET) - kept.length;
  const doubts = [
    ...(cut === 'ask' ? [{ code: 'cut_not_certain', said: reason } as const] : []),
    ...doubtsOf(proposal, form, missing > 0),
    ...(missing > 0 && form !== 'text' ? [{ code: 'too_few_calls', missing } as const] : []),
    ...(agreement !== null && ceilingOf(agreement) < TARGET
      ? [{ code: 'teacher_disagrees_with_itself', agreement } as const]
      : []),
    ...(estimate !== null && isRandom(estimate)
      ? [{ code: 'random', agreement: estimate.agreement, guessed: estimate.guessed } as const]
      : []),
  ];
  return {
    ...{ id, form, hasSchema: template.format !== null, prompt: promptOf(template), distinct: kept.length },
    ...{ selfAgreement: agreement, doubts, estimate },
    verdict: doubts.some(({ code }) => FATAL.includes(code)) ? 'no' : doubts.length > 0 ? 'ask' : 'yes',
    heads: proposal.kind === 'mapped' ? headsIn(proposal) : null,
    noEstimate: estimated === null ? curable(doubts) : estimated.kind === 'none' ? estimated.reason : null,
  };
}

/** What more calls would mend, of answers that are not mapped. */
function curable(doubts: readonly Doubt[]): NoEstimate | null {
  const codes = doubts.map(({ code }) => code);
  if (codes.includes('free_text') || codes.includes('answers_not_mapped')) return null;
  return codes.find((code) => code === 'one_sided' || code === 'too_few_calls') ?? null;
}

/** As answers are compared with each other: words without their spelling. */
const foldedAnswer = ({ answer }: Member): string => foldLabel(answer.text);

function doubtsOf(proposal: Proposal, form: AnswerForm, areFew: boolean): readonly Doubt[] {
  if (proposal.kind === 'refused') {
    const { reason: said, isOneSided } = whyRefused(proposal, form);
    // Of few short answers nobody can say whether they are a few labels.
    if (areFew && form === 'label' && said === FREE_TEXT) return [];
    if (form === 'text') return [{ code: 'free_text', said }];
    return [{ code: isOneSided ? 'one_sided' : 'answers_not_mapped', said }];
  }
  const { unmapped, ask } = proposal;
  return [
    ...(unmapped.length > 0 ? [{ code: 'unmapped_fields', fields: unmapped } as const] : []),
    ...(ask.length > 0 ? [{ code: 'uncertain_fields', fields: ask } as const] : []),
  ];
}

/** The prompt as people recognise it: its constant part, the beginning of each message. */
function promptOf({ parts }: Template): string {
  const written = parts.map(({ chunks, holes }) =>
    chunks
      .map((chunk, at) => {
        const hole = holes[at];
        return `${chunk}${hole === undefined ? '' : hole.kind === 'text' ? '{text}' : '…'}`;
      })
      .join('')
      .trim(),
  );
  const most = Math.max(40, Math.floor(MAX_PROMPT / parts.length));
  return written.map((text) => shortened(text, most)).join('\n');
}

/** The beginning and the end of a text. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.floor(most / 3);
  return `${text.slice(0, most - end - 1)}…${text.slice(-end)}`;
}
