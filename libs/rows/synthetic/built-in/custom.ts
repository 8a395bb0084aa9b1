import type { InvalidField } from '#domain/errors.js';
import type { FieldSpec } from '#domain/generation-job/index.js';
import { TEXT_CLASSES, textOfClass, type TextClass } from './classes.js';
import { pick } from './draw.js';
import { nameWords, normalised } from './names.js';
import { domainText } from './ner.js';
import type { RowPlan } from './row-plan.js';
import { fieldProblems, recordRows } from './records.js';

/** Kinds of texts that a prompt may ask for, and where they come from: classes of texts, or a domain of sentences. */
const KINDS: readonly (readonly [names: string, source: readonly string[] | string])[] = [
  ['product review; customer review; review; restaurant review; movie review; hotel review', ['sentiment']],
  ['positive review; positive product review', ['sentiment/positive']],
  ['negative review; negative product review', ['sentiment/negative']],
  [
    'support ticket; customer support ticket; customer support message; support request; customer service message; support message; customer message; helpdesk ticket; customer request; customer support email; support email; customer email; customer question',
    ['support'],
  ],
  ['bug report', ['support/technical issue']],
  ['feature request', ['support/feature request']],
  ['complaint; customer complaint', ['support/complaint']],
  ['refund request', ['support/refund']],
  ['news headline; headline; news article; news; news sentence', ['topic']],
  ['spam; spam message; spam email; phishing email; scam message', ['spam/spam']],
  ['voice command; voice assistant command; assistant command; smart assistant request', ['assistant']],
  ['banking question; bank customer question', ['banking']],
  ['greeting', ['intent/greeting']],
  ['chat message; personal message; text message; sms; sm', 'personal'],
  ['social media post; tweet; instagram post', 'marketing'],
  ['job posting; job ad; job advert; job description; job listing', 'jobs'],
  ['medical note; clinical note; patient note; doctor note', 'medical'],
  ['contract clause; legal sentence; legal clause; legal text; contract sentence', 'legal'],
  ['travel request; travel message; travel question', 'travel'],
  ['recipe; recipe sentence; cooking instruction', 'food'],
  ['meeting note; meeting minute; work email; business email', 'meetings'],
  ['property listing; real estate listing; rental listing; apartment listing', 'realestate'],
  ['incident report; it incident; log message; system message', 'tech'],
];

const BY_NAME = new Map(
  KINDS.flatMap(([names, source]) => names.split(';').map((name) => [normalised(name), source] as const)),
);

/** Words of a prompt that ask for nothing in particular. */
const PLAIN_WORDS = new Set(
  'generate create write make produce give provide me us please some a an the of for row text data dataset training example sample list set that are is as and or in english short brief synthetic realistic natural fake diverse different various varied random many several few i want need would like you can could single sentence one two three line each entry record about from typical'.split(
    ' ',
  ),
);

/** Interprets a prompt as far as the built-in generator can; `problems` lists the rest. */
export function customPlan(prompt: string): RowPlan & { readonly problems: readonly InvalidField[] } {
  const fields = fieldsIn(prompt);
  if (fields !== null && fieldProblems(fields, 'prompt').length === 0)
    return { make: recordRows(fields), warnings: [], problems: [] };
  const { kinds, labelled, unknown } = kindsIn(prompt);
  const [source] = kinds;
  if (source === undefined || unknown.length > 0 || kinds.length > 1) return refused(kinds.length, unknown);
  if (typeof source === 'string') return { make: () => ({ text: domainText(source) }), warnings: [], problems: [] };
  const classes = source.flatMap(classesIn);
  const make = () => {
    const of = pick(classes);
    return { text: textOfClass(of), ...(labelled && { label: of.name }) };
  };
  return { make, warnings: [], problems: [] };
}

const classesIn = (source: string): readonly TextClass[] =>
  source.includes('/')
    ? TEXT_CLASSES.filter(({ family, name }) => `${family}/${name}` === source)
    : TEXT_CLASSES.filter(({ family, name }) => family === source && name !== 'mixed');

/** "Customers with name, email and city": the fields listed after the word. */
function fieldsIn(prompt: string): readonly FieldSpec[] | null {
  const list =
    /\b(?:with|containing|having|including|fields?|columns?)\b:? (?:the (?:fields|columns):? )?([^.!?]+)[.!?]?\s*$/i.exec(
      prompt,
    )?.[1];
  const names =
    list
      ?.split(/,|\band\b/)
      .map((name) => name.replace(/^\s*(?:an?|the|their|his|her)\s+/i, '').trim())
      .filter((name) => name !== '') ?? [];
  if (names.length < 2) return null;
  return names.map((name) => ({ name: nameWords(name).join('_'), type: 'string', description: null, choices: null }));
}

function kindsIn(prompt: string) {
  let words = nameWords(prompt);
  const labelled =
    /\b(?:with|and) (?:a |an |their |its |the )?(?:sentiment|label|category|class|topic|intent)s?\b/i.test(prompt);
  if (labelled)
    words = words.filter((word) => !/^(?:with|their|its|sentiment|label|category|class|topic|intent)s?$/.test(word));
  const kinds: (readonly string[] | string)[] = [];
  const unknown: string[] = [];
  for (let at = 0; at < words.length;) {
    const found = [4, 3, 2, 1].find(
      (length) => at + length <= words.length && BY_NAME.has(normalised(words.slice(at, at + length).join(' '))),
    );
    if (found !== undefined) kinds.push(BY_NAME.get(normalised(words.slice(at, at + found).join(' ')))!);
    else if (!PLAIN_WORDS.has(normalised(words[at]!)) && !/^\d+$/.test(words[at]!)) unknown.push(words[at]!);
    at += found ?? 1;
  }
  return { kinds, labelled, unknown };
}

/** Words named in the message; a prompt may have thousands. */
const MAX_TOLD = 5;

function refused(kinds: number, unknown: readonly string[]) {
  const told = [...new Set(unknown)].slice(0, MAX_TOLD).map((word) => JSON.stringify(word.slice(0, 50)));
  const known = KINDS.map(([names]) => names.split(';')[0]!).join(', ');
  const cause =
    kinds > 1
      ? 'it asks for more than one kind of text'
      : unknown.length > 0
        ? `the built-in generator cannot follow ${told.join(', ')}${new Set(unknown).size > MAX_TOLD ? ', ...' : ''}`
        : 'it names no kind of text';
  const message =
    `${cause}. Without a model there are only these kinds of texts: ${known}; and records, as in "rows with name, email and city". ` +
    'For anything else name a decoder of the catalog as model_id';
  const problems: readonly InvalidField[] = [{ path: ['prompt'], message, type: 'not_allowed' }];
  return { make: () => null, warnings: [], problems };
}
