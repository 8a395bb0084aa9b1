import type { FieldSpec } from '#domain/generation-job/index.js';
import { classesOf, TEXT_CLASSES, type TextClass } from './classes.js';
import { entryOf, nameWords, normalised } from './names.js';

/** Fields that hold a person's own words, and the families of classes of such texts. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  review: ['sentiment'],
  feedback: ['sentiment', 'support'],
  comment: ['sentiment'],
  testimonial: ['sentiment'],
  opinion: ['sentiment'],
  message: ['support', 'spam', 'intent'],
  email: ['support', 'spam'],
  body: ['support', 'spam'],
  ticket: ['support'],
  issue: ['support'],
  complaint: ['support'],
  question: ['support'],
  query: ['support', 'assistant'],
  inquiry: ['support'],
  request: ['support', 'assistant'],
  text: ['sentiment', 'support', 'topic'],
  content: ['topic'],
  sentence: ['sentiment', 'emotion', 'topic'],
  article: ['topic'],
  headline: ['topic'],
  news: ['topic'],
  document: ['topic'],
  paragraph: ['topic'],
  post: ['emotion', 'topic'],
  tweet: ['emotion', 'sentiment'],
  utterance: ['assistant', 'intent'],
  transcript: ['support'],
  conversation: ['support'],
  note: ['emotion'],
  sms: ['spam'],
  input: ['sentiment', 'support', 'topic'],
  story: ['emotion'],
};

/** Families of the texts that a field of this name holds; null when it is no such field. */
export function textFamilies({ name, type, choices }: FieldSpec): readonly string[] | null {
  if (type !== 'string' || choices !== null) return null;
  const words = nameWords(name).map(normalised);
  const bare = words.filter((word) => !['text', 'body', 'content'].includes(word) || words.length === 1);
  const last = bare.at(-1) ?? '';
  // An "email" is an address unless its name says that it is a text.
  if (last === 'email' && !words.some((word) => ['text', 'body', 'content'].includes(word))) return null;
  return entryOf(TEXTS, last) ?? null;
}

/** A field whose value is the class of a text. */
export interface ClassField {
  readonly field: FieldSpec;
  readonly classes: readonly { readonly value: string | boolean; readonly of: TextClass }[];
}

/** Classes of a field that gives no choices. */
const BY_NAME: Readonly<Record<string, readonly string[]>> = {
  sentiment: ['positive', 'negative', 'neutral'],
  emotion: ['joy', 'sadness', 'anger', 'fear', 'surprise', 'love'],
  urgency: ['high', 'medium', 'low'],
  priority: ['high', 'medium', 'low'],
  topic: ['sports', 'politics', 'business', 'technology', 'science', 'health', 'entertainment', 'travel', 'food'],
  language: ['english', 'german', 'french', 'spanish', 'italian', 'portuguese', 'dutch'],
};
const BY_FLAG: Readonly<Record<string, readonly [string, string]>> = {
  spam: ['spam', 'ham'],
  toxic: ['toxic', 'non toxic'],
  urgent: ['urgent', 'low'],
  positive: ['positive', 'negative'],
  negative: ['negative', 'positive'],
  refund: ['refund', 'product question'],
};

/** The classes that a field requests; null if the built-in generator cannot determine them. */
export function classField(field: FieldSpec): ClassField | null {
  const words = nameWords(field.name).map(normalised);
  const last = words.at(-1) ?? '';
  if (field.type === 'boolean') {
    const flag = words.length <= 2 ? entryOf(BY_FLAG, last) : undefined;
    if (!flag) return null;
    const [yes, no] = classesOf(flag);
    return yes && no
      ? {
          field,
          classes: [
            { value: true, of: yes },
            { value: false, of: no },
          ],
        }
      : null;
  }
  if (field.type !== 'string') return null;
  const values = field.choices ?? (words.length === 1 ? entryOf(BY_NAME, last) : undefined);
  if (!values) return null;
  const classes = classesOf(values);
  if (classes.some((each) => each === null) || new Set(classes).size < classes.length) return null;
  return { field, classes: values.map((value, index) => ({ value, of: classes[index]! })) };
}

export const classesOfFamilies = (families: readonly string[]): readonly TextClass[] =>
  TEXT_CLASSES.filter(({ family }) => families.includes(family));
