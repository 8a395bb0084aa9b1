import { ceilingOf } from '#distillation/copies/copies.js';
import type { Doubt, NoEstimate, RefusedGroup, Spent, SurveyedTask } from '#distillation/survey/index.js';
import { dollars } from '#domain/inference/index.js';
import type { Distillable } from '#use-cases/distillation/queries/distillable.js';
import type { DistillableTask, DistillableTasks } from './dto.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const MONTH_DAYS = 30;

/** The tasks as clients see them. @param isShown whether the caller may see what calls say */
export function distillableRecord(
  { survey, leftOut, limit, from, until }: Distillable,
  isShown: boolean,
): DistillableTasks {
  const days = from === null ? 1 : Math.max(1, (Date.parse(until) - Date.parse(from)) / DAY_MS);
  return {
    tasks: survey.tasks.map((task) => taskRecord(task, days, isShown)),
    refused: survey.refused.map((group) => ({ ...spentRecord(group, days), reason: group.reason })),
    left_out: leftOut,
    ...{ limit, from, until },
    content_withheld: !isShown,
  };
}

function taskRecord(task: SurveyedTask, days: number, isShown: boolean): DistillableTask {
  const { estimate, noEstimate } = task;
  return {
    id: task.id,
    ...spentRecord(task, days),
    form: task.form,
    has_schema: task.hasSchema,
    prompt: isShown ? task.prompt : null,
    distinct_calls: task.distinct,
    self_agreement: task.selfAgreement,
    suitable: task.verdict,
    doubts: task.doubts.map((doubt) => ({
      ...{ code: doubt.code, message: messageOf(doubt, isShown) },
      ...(doubt.code === 'too_few_calls' && { missing_calls: doubt.missing }),
      ...('fields' in doubt && isShown && { fields: doubt.fields }),
    })),
    heads: isShown ? task.heads : null,
    estimate: estimate && {
      ...{ judged_calls: estimate.judged, agreement: estimate.agreement, guessed: estimate.guessed },
      shares: estimate.shares.map(({ target, share }) => ({ target_agreement: target, share })),
    },
    no_estimate_because: estimate === null ? NO_ESTIMATE[noEstimate ?? 'not_mapped'] : null,
  };
}

const spentRecord = (
  { teacher, calls, tokens, cost, first, last }: Spent & Pick<RefusedGroup, 'teacher'>,
  days: number,
) => ({
  ...{ model: teacher, calls, tokens, cost: dollars(cost) },
  cost_a_month: (dollars(cost) * MONTH_DAYS) / days,
  ...{ first_call_at: first, last_call_at: last },
});

const NO_ESTIMATE: Readonly<Record<NoEstimate | 'not_mapped', string>> = {
  not_mapped: 'the answers are not of a form that a small model learns',
  too_few_calls: 'there are too few calls to judge a model on',
  one_sided: 'nearly all answers are one',
  needs_training: 'what stands in a text, or how many labels it has, is known only after a training',
  unmapped_fields: 'fields that are not learned are to be left out first',
};

function messageOf(doubt: Doubt, isShown: boolean): string {
  switch (doubt.code) {
    case 'free_text':
    case 'cut_not_certain':
      return doubt.said;
    case 'answers_not_mapped':
      // It may name fields.
      return isShown ? doubt.said : NO_ESTIMATE.not_mapped;
    case 'one_sided':
      // It may name an answer.
      return isShown ? doubt.said : NO_ESTIMATE.one_sided;
    case 'too_few_calls':
      return `${doubt.missing} more calls with other texts are the least that can show an agreement of 95%`;
    case 'random':
      return `a quick model agrees in ${percent(doubt.agreement)} of the calls, and always giving the commonest answer in ${percent(doubt.guessed)}`;
    case 'teacher_disagrees_with_itself':
      return `the model answered copies of a text alike in ${percent(doubt.agreement)}: no other model can agree with it in more than ${percent(ceilingOf(doubt.agreement))}`;
    case 'unmapped_fields':
      return `${fieldsOf(doubt.fields.length)} of the answers cannot be learned, as totals and summaries cannot: null would be written`;
    case 'uncertain_fields':
      return `the values of ${fieldsOf(doubt.fields.length)} stand in most texts, not in nearly all`;
  }
}

const percent = (share: number): string => `${Math.round(share * 100)}%`;
const fieldsOf = (count: number): string => `${count} field${count === 1 ? '' : 's'}`;
