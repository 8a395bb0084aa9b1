import type { InferenceAnswer } from '#gpu-runner/contract/inference.js';
import type { InferWarning } from '#gpu-runner/contract/schema.js';

/** Size in characters of the parts of a call, so that a large call does not keep small ones waiting. */
export const PART_CHARACTERS = 4_096;

/** Characters that reading some texts costs. An empty text is read too. */
export const costOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + costOfText(text), 0);
const costOfText = (text: string): number => text.length + 64;

/** Groups of texts, at least one: a call without texts loads its model. */
export const groupsOf = (texts: readonly string[]): readonly (readonly string[])[] =>
  texts.length === 0 ? [[]] : bySize(texts, PART_CHARACTERS, costOfText);

/** The answers of a call's parts as one. @param answers at least one */
export function joined(answers: readonly InferenceAnswer[]): InferenceAnswer {
  if (answers.length === 1) return answers[0]!;
  const warnings = new Map<string, InferWarning>();
  for (const warning of answers.flatMap((answer) => answer.warnings))
    warnings.set(JSON.stringify([warning.code, warning.label, warning.message]), warning);
  return {
    results: answers.flatMap((answer) => answer.results),
    warnings: [...warnings.values()],
    inputTokens: answers.flatMap((answer) => answer.inputTokens),
    schema: answers[0]!.schema,
  };
}

/** Texts in their order, in groups of about `characters` characters; a larger text forms its own group. */
export function bySize(
  texts: readonly string[],
  characters: number,
  sizeOf: (text: string) => number = ({ length }) => length,
): readonly string[][] {
  const groups: string[][] = [];
  let room = 0;
  for (const text of texts) {
    const size = sizeOf(text);
    room -= size;
    if (room < 0 || groups.length === 0) {
      groups.push([]);
      room = characters - size;
    }
    groups.at(-1)!.push(text);
  }
  return groups;
}
