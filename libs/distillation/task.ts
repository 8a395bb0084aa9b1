import type { AnswerMapping } from './mapping/mapping.js';
import type { Cut } from './tasks/matcher.js';
import type { Template } from './tasks/template.js';

/** What a student has learned: which requests it may answer, and how its predictions are written. Plain JSON. */
export interface LearnedTask {
  readonly template: Template;
  readonly mapping: AnswerMapping;
  /** What the prompt says of classes, by label; absent in older ones. */
  readonly labelDescriptions?: Readonly<Record<string, string>>;
}

/** What a student reads of a request: its text, after the parameters on which the answer may depend. */
export const studentText = ({ text, parameters }: Cut): string => [...parameters, text].join('\n');
