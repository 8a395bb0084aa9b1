import type { InvalidField } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { items } from '../templates/template.js';
import { chance, pick } from './draw.js';
import { readSections } from './english/index.js';
import { plain, textOf, type Piece } from './grammar.js';
import { parseTemplate, type Template } from '../templates/template.js';
import { normalised } from './names.js';
import { joined, paired } from './sentences.js';

/** A class of texts that the built-in generator can write. */
export interface TextClass {
  readonly family: string;
  readonly name: string;
  readonly names: readonly string[];
  readonly templates: readonly Template[];
}

/** Families whose texts are one utterance; of the others two sentences of a class make a text as well. */
const UTTERANCES: ReadonlySet<string> = new Set(['assistant', 'intent', 'spam']);
/** Families whose sentences are so few that most texts are of two. */
const TERSE: ReadonlySet<string> = new Set(['emotion', 'language', 'toxicity', 'style']);
/** Families of texts that are addressed to somebody. */
const LETTERS: ReadonlySet<string> = new Set(['support', 'banking', 'urgency']);
const GREETINGS = ['Hi!', 'Hello!', 'Hi there!', 'Good morning!', 'Hello team!', 'Hey!', 'Good afternoon!', 'Hello.'];
const THANKS = items(
  'Thanks.;Thank you.;Thanks in advance.;Best regards.;Please advise.;Looking forward to your reply.;Many thanks!;Kind regards.',
);
const PAIRED = 0.4;
const MOSTLY_PAIRED = 0.85;

export const TEXT_CLASSES: readonly TextClass[] = ['classes.txt', 'languages.txt']
  .flatMap(readSections)
  .map(({ words, lines }) => {
    const [family = '', name = ''] = words[0]!.split('/');
    return { family, name, names: [name, ...words.slice(1)].map(normalised), templates: lines.map(parseTemplate) };
  });

const BY_NAME = new Map<string, TextClass[]>();
for (const each of TEXT_CLASSES)
  for (const name of new Set(each.names)) BY_NAME.set(name, [...(BY_NAME.get(name) ?? []), each]);

/**
 * The class that each label names, by its name or a well-known other one. A name of several classes is taken for the one that
 * is of the same family as most other labels are.
 * @returns null if a label names none
 */
export function classesOf(labels: readonly string[]): readonly (TextClass | null)[] {
  const candidates = labels.map((label) => BY_NAME.get(normalised(label)) ?? []);
  const support = new Map<string, number>();
  for (const classes of candidates)
    for (const family of new Set(classes.map((each) => each.family)))
      support.set(family, (support.get(family) ?? 0) + 1);
  return candidates.map(
    (classes) => classes.toSorted((a, b) => support.get(b.family)! - support.get(a.family)!)[0] ?? null,
  );
}

/** Problems with `labels`; empty when the built-in generator can distinguish all of them. */
export function classProblems(labels: readonly string[]): readonly InvalidField[] {
  const classes = classesOf(labels);
  const first = new Map<TextClass, string>();
  return labels.flatMap((label, index): InvalidField[] => {
    const path = ['labels', index];
    const found = classes[index] ?? null;
    if (found === null) return [{ path, message: unknownClass(label), type: 'not_allowed' }];
    const other = first.get(found);
    first.set(found, label);
    if (other === undefined) return [];
    const message = `${JSON.stringify(label)} is the same to the built-in generator as ${JSON.stringify(other)}; leave one out`;
    return [{ path, message, type: 'not_allowed' }];
  });
}

function unknownClass(label: string): string {
  const families = Map.groupBy(TEXT_CLASSES, ({ family }) => family);
  const known = [...families].map(([family, classes]) => `${family}: ${classes.map(({ name }) => name).join(', ')}`);
  return (
    `the built-in generator cannot write texts of the class ${JSON.stringify(label)}; it knows ${known.join('; ')}. ` +
    'For other labels name a decoder of the catalog as model_id'
  );
}

/** A maker of labelled texts, as many of each label. */
export function classRows(labels: readonly string[]): (row: number) => JsonObject {
  const classes = classesOf(labels);
  return (row) => {
    const index = row % labels.length;
    return { text: textOfClass(classes[index]!), label: labels[index]! };
  };
}

export const textOfClass = (of: TextClass): string => textOf(piecesOfClass(of));

/** A text of a class: an utterance, or one or two sentences, at times with a greeting and thanks. */
export function piecesOfClass({ family, name, templates }: TextClass): readonly Piece[] {
  const share = UTTERANCES.has(family) && name !== 'ham' ? 0 : TERSE.has(family) ? MOSTLY_PAIRED : PAIRED;
  const pieces = paired(pick(templates), templates, share);
  if (family === 'assistant') return spoken(pieces);
  if (!LETTERS.has(family)) return pieces;
  const greeted = chance(0.18) ? [plain(`${pick(GREETINGS)} `), ...pieces] : pieces;
  return chance(0.18) ? joined(greeted, [plain(pick(THANKS))]) : greeted;
}

/** Phrases a command as people speak to a device: at times with its name, at times politely. */
function spoken(pieces: readonly Piece[]): readonly Piece[] {
  const called = chance(0.2) ? [plain(`${pick(CALLS)} `), ...pieces] : pieces;
  return chance(0.25) && !/[?.!]$|please$/i.test(textOf(pieces)) ? [...called, plain(pick(POLITELY))] : called;
}

const CALLS = ['Hey assistant,', 'OK,', 'Assistant,', 'Hey,', 'Hi,', 'Okay now'];
const POLITELY = [' please', ', please', ' thanks', ' for me', ' right now', ' now'];
