import { fieldNode } from './fields.js';
import { jsonIn, parseSourced, type SourcedJson } from './json-text.js';
import type { HeadKind, WantedHead } from '#domain/distillation/index.js';
import { foldLabel, KNOWN, labelsOf, mostOf, peelLabel, readLabels, SEEN } from './labels.js';
import { freeName, yearOf, type Proposal, type TextAnswer } from './mapping.js';
import type { Notes } from './notes.js';
import { answerSchema } from './schema.js';
import { commonStyle } from './style.js';
import type { AnswerForm } from '../tasks/forms.js';
import type { PlacedValue } from './values.js';

type Asked = Parameters<typeof answerSchema>[0];
const NOTHING_ASKED: Asked = { tools: [], format: null };

/** Share of the answers that must have one form. */
const ONE_FORM = 0.95;
export const FREE_TEXT =
  'the answers are free text, neither JSON nor one of a few labels, which a language model learns, without a bound: name one that can be ' +
  'trained as `base_model` (GET /base-models?task_type=decoder&supports_training=true; none there: npx anneal engine install torch)';
/** Fewer answers tell nothing of a form. */
const MIN_ANSWERS = 10;

/**
 * Proposes how the answers of a task become heads of a small model: words are classes, values that stand in the text are fields of a
 * structure or entities, lists of objects are records. What cannot be learned is named.
 * @param asked what the requests say of answers: tools, and the schema of a response format
 * @param wanted where it is to differ from what would be proposed
 */
export function proposeMapping(
  answers: readonly TextAnswer[],
  asked: Asked = NOTHING_ASKED,
  wanted: readonly WantedHead[] = [],
): Proposal {
  const proposal = proposed(answers, asked, new Map(wanted.map(({ path, kind }) => [path, kind])));
  const problem = proposal.kind === 'mapped' ? impossible(wanted, proposal.choices) : null;
  return problem === null ? proposal : refused(problem);
}

/** Characters of a label with what is said around it, on average. */
const LONGEST_LABEL = 40;

/** The form of answers: letters that all begin alike may look like labels before it is known that nothing of them is learned. */
export const formOf = (
  form: AnswerForm,
  { kind }: Proposal,
  answers: readonly Pick<TextAnswer, 'answer'>[],
): AnswerForm =>
  form === 'label' &&
  kind === 'refused' &&
  answers.reduce((sum, { answer }) => sum + answer.text.length, 0) > LONGEST_LABEL * answers.length &&
  new Set(answers.map(({ answer }) => foldLabel(answer.text))).size * 2 > answers.length
    ? 'text'
    : form;

/** Texts that only begin alike are not one answer, which the reason would quote. */
export const whyRefused = (
  { reason, isOneSided }: Extract<Proposal, { readonly kind: 'refused' }>,
  form: AnswerForm,
): { readonly reason: string; readonly isOneSided: boolean } =>
  form === 'text' && isOneSided
    ? { reason: FREE_TEXT, isOneSided: false }
    : { reason, isOneSided: isOneSided === true };

/** Which wanted place is not there, or cannot become what it is to, and what helps; null: none. */
function impossible(wanted: readonly WantedHead[], choices: Choices): string | null {
  const names = [...choices.keys()].filter((path) => path !== '');
  for (const { path, kind } of wanted) {
    const own = choices.get(path);
    if (own === undefined) return `heads: the answers have no ${JSON.stringify(path)}, they have ${names.join(', ')}`;
    if (!own.includes(kind)) return `heads: ${path} cannot be ${kind}, only ${own.join(', ')}`;
  }
  return null;
}

type Choices = ReadonlyMap<string, readonly HeadKind[]>;

function proposed(answers: readonly TextAnswer[], asked: Asked, wanted: ReadonlyMap<string, HeadKind>): Proposal {
  if (answers.length < MIN_ANSWERS) return refused(`needs at least ${MIN_ANSWERS} answers, has ${answers.length}`);
  const tool = mostOf(answers.map(({ answer }) => answer.tool ?? ''));
  const own = answers.filter(({ answer }) => (answer.tool ?? '') === tool);
  if (own.length < ONE_FORM * answers.length) return refused('the answers call several tools, or none');
  const json = own.flatMap((each) => {
    const found = jsonIn(each.answer.text);
    return found === null ? [] : [{ ...each, ...found, sourced: parseSourced(found.source) }];
  });
  if (json.length >= ONE_FORM * own.length) return ofJson(json, tool, answers.length, { asked, wanted });
  if (new Set(own.map(({ answer }) => foldLabel(answer.text))).size === 1) return refused('all answers are one', true);
  const labels = labelsOf(own.map(({ answer }) => answer.text));
  if (labels === null) {
    const tooOneSided = oneSided(own);
    return refused(tooOneSided ?? FREE_TEXT, tooOneSided !== null);
  }
  const known = own.filter(({ answer }) => readLabels(labels, answer.text) !== null).length;
  const choices: Choices = new Map([['label', [labels.separator === null ? 'class' : 'classes']]]);
  return { kind: 'mapped', mapping: labels, unmapped: [], ask: [], choices, share: known / answers.length };
}

/** What is missing where one label is nearly all answers; null: none is. */
function oneSided(answers: readonly TextAnswer[]): string | null {
  const labels = answers.map(({ answer }) => peelLabel(answer.text).core);
  const commonest = mostOf(labels.map(foldLabel));
  const count = labels.filter((label) => foldLabel(label) === commonest).length;
  if (commonest === '' || count < KNOWN * answers.length) return null;
  return (
    `the answers are too one-sided: ${count} of ${answers.length} are ${JSON.stringify(commonest)}, and no other comes ` +
    `${SEEN} times`
  );
}

type JsonAnswer = TextAnswer & {
  readonly before: string;
  readonly after: string;
  readonly source: string;
  readonly sourced: SourcedJson;
};

function ofJson(
  answers: readonly JsonAnswer[],
  tool: string,
  calls: number,
  { asked, wanted }: { readonly asked: Asked; readonly wanted: ReadonlyMap<string, HeadKind> },
): Proposal {
  const style = commonStyle(answers.map(({ sourced, source }) => ({ value: sourced, source })));
  if (style === null) return refused('the JSON of the answers is laid out in no known style');
  const values = answers.map(({ sourced, text, at }, call): PlacedValue => ({
    value: sourced,
    text,
    year: yearOf(at),
    call,
  }));
  const notes: Notes = { unmapped: [], ask: [], choices: new Map(), wanted };
  const root = fieldNode(
    values,
    { path: '', prefix: '', isInRecord: false, schema: answerSchema(asked, tool || null) },
    notes,
  );
  if (!isLearned(root)) {
    const reason = notes.unmapped.map((each) => `${each.path || 'the answer'}: ${each.reason}`).join('; ');
    const isOneSided = reason === '' && wanted.size === 0;
    return refused(reason || (isOneSided ? 'all answers are one' : 'nothing of the answers is learned'), isOneSided);
  }
  const mapping = {
    kind: 'json',
    tool: tool === '' ? null : tool,
    style,
    before: mostOf(answers.map(({ before }) => before)),
    after: mostOf(answers.map(({ after }) => after)),
    structure: freeName(tool || 'answer'),
    root,
  } as const;
  const { unmapped, ask, choices } = notes;
  return { kind: 'mapped', mapping, unmapped, ask, choices, share: answers.length / calls };
}

/** Whether anything of the answers is learned. */
function isLearned(node: ReturnType<typeof fieldNode>): boolean {
  if (node.kind === 'object') return node.fields.some((field) => isLearned(field.node));
  return node.kind === 'records' ? isLearned(node.item) : node.kind !== 'constant' && node.kind !== 'unmapped';
}

const refused = (reason: string, isOneSided = false): Proposal => ({
  ...{ kind: 'refused', reason },
  ...(isOneSided && { isOneSided }),
});
