import type { Schema } from '../../api/client.js';

export type Task = Schema['DistillableTask'];

/** What is told of in tables and sums: the middle of the targets. */
export const USUAL_TARGET = 0.95;

/** Share of the calls that a quick model could answer at a target; null if nothing is known. */
export function shareAt({ estimate }: Task, target: number): number | null {
  const found = estimate?.shares.find(({ target_agreement }) => target_agreement === target);
  return found ? (found.share ?? 0) : null;
}

/** Whether no small model can do it for want of calls alone, which the model can be asked for. */
export const lacksCalls = ({ suitable, doubts }: Task): boolean =>
  suitable === 'no' && doubts.every(({ code }) => !['free_text', 'answers_not_mapped'].includes(code));

/** Dollars a month that need not be paid. */
export function savedBy(task: Task): number | null {
  const share = task.suitable === 'no' ? null : shareAt(task, USUAL_TARGET);
  return share === null ? null : share * task.cost_a_month;
}

/** What all tasks cost a month, and what those of which it is known would save. */
export function sumsOf(tasks: readonly Task[]) {
  const saved = tasks.map(savedBy);
  return {
    paid: tasks.reduce((sum, { cost_a_month }) => sum + cost_a_month, 0),
    saved: saved.reduce<number>((sum, each) => sum + (each ?? 0), 0),
    /** Tasks that could run on small models by an estimate, and those of which only a training tells. */
    estimated: saved.filter((each) => each !== null && each > 0).length,
    untold: tasks.filter(({ suitable }, at) => suitable !== 'no' && saved[at] === null).length,
  };
}

const FORMS: Readonly<Record<Task['form'], string>> = {
  label: 'a label',
  json: 'JSON',
  tool: 'arguments of a tool',
  text: 'free text',
};

export const formOf = ({ form, has_schema }: Task): string =>
  form === 'json' && has_schema ? 'JSON by schema' : FORMS[form];
