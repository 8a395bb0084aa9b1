import type { FieldSpec, RowsRequest } from '#domain/generation-job/index.js';

interface Prompt {
  readonly system: string;
  readonly user: string;
}

/** Texts shown as already made. */
const SHOWN = 12;
const SHOWN_CHARACTERS = 80;

/**
 * The prompt for one batch.
 * @param made beginnings of existing rows, which the model must not repeat
 */
export function promptFor(request: RowsRequest, count: number, made: readonly string[]): Prompt {
  const avoid = made.slice(-SHOWN).map((text) => `- ${text.slice(0, SHOWN_CHARACTERS)}`);
  return {
    system:
      'You make synthetic training data. You answer with JSON only: one object {"rows": [...]}, without any text around it. ' +
      'Rows are realistic, differ from one another in wording, length, tone and content, and hold no real personal data.',
    user: [
      `Make ${count} rows. ${shapeOf(request)}`,
      request.domainDescription && request.taskType !== 'decoder'
        ? `What they are about: ${request.domainDescription}`
        : '',
      request.instruction ? `How they are made: ${request.instruction}` : '',
      request.prompt && request.taskType !== 'custom' ? `Also: ${request.prompt}` : '',
      examplesOf(request),
      avoid.length > 0 ? `Rows like these exist already; make others:\n${avoid.join('\n')}` : '',
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
  };
}

function shapeOf(request: RowsRequest): string {
  const { labels, fields, inputFields, outputFields } = request;
  switch (request.taskType) {
    case 'ner':
      return headsShape(request);
    case 'classification':
      return `Each is {"text": string, "label": string}. The label is one of: ${quoted(labels)}; each comes about as often.`;
    case 'custom':
      return `Each is a JSON object with the same keys, as this asks for: ${request.prompt}`;
    case 'decoder':
      return (
        'Each is {"messages": [{"role": "user", "content": string}, {"role": "assistant", "content": string}]}, a conversation of ' +
        `one to three exchanges that ends with the assistant. What they are about: ${request.domainDescription}`
      );
    case 'records':
      return `Each is a JSON object with exactly these keys:\n${described(fields)}`;
    case 'fields':
      return (
        'Each is {"input": {...}, "output": {...}}, where the output follows from the input. ' +
        `Keys of the input:\n${described(inputFields)}\nKeys of the output:\n${described(outputFields)}`
      );
  }
}

/** The shape of rows with the requested ones of entities, structures and relations. */
function headsShape({ labels, structures = [], relations = [] }: RowsRequest): string {
  const keys = [
    '"text": string',
    ...(labels.length > 0 ? ['"entities": [{"text": string, "label": string}]'] : []),
    ...(structures.length > 0 ? ['"json_structures": [{structure: {field: value}}]'] : []),
    ...(relations.length > 0 ? ['"relations": [{relation: {"head": string, "tail": string}}]'] : []),
  ];
  return [
    `Each is {${keys.join(', ')}}.`,
    labels.length > 0
      ? `The labels are: ${quoted(labels)}. Every stretch of the text that is such an entity is listed, in order; nothing else is.`
      : '',
    ...structures.map(
      ({ name, fields }) =>
        `The text may hold records ${JSON.stringify(name)}, one or several, each listed in order. Leave out a field that the text ` +
        `does not have. Its fields:\n${described(fields)}`,
    ),
    ...relations.map(({ name, head, tail, description }) => {
      const ends = `${head === null ? '' : `, from a ${head}`}${tail === null ? '' : `, to a ${tail}`}`;
      return `The text may state relations ${JSON.stringify(name)}${ends}${description === null ? '' : ` (${description})`}, each listed with its head and its tail.`;
    }),
    'Everything listed is copied from the text letter by letter. About one text in ten holds none of it and has empty lists.',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

const examplesOf = ({ classifiedExamples }: RowsRequest): string =>
  classifiedExamples.length === 0
    ? ''
    : `Examples:\n${classifiedExamples.map((example) => JSON.stringify(example)).join('\n')}`;

const described = (fields: readonly FieldSpec[]): string =>
  fields
    .map(({ name, type, description, choices }) => {
      const kind = type === 'list' ? 'list of strings' : type;
      const only = choices ? `, one of ${quoted(choices)}` : '';
      return `- ${JSON.stringify(name)}: ${kind}${only}${description ? ` (${description})` : ''}`;
    })
    .join('\n');

const quoted = (words: readonly string[]): string => words.map((word) => JSON.stringify(word)).join(', ');
