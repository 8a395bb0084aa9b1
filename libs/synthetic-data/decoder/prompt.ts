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
 * @param made beginnings of existing rows, which the model is told not to repeat
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
      return (
        `Each is {"text": string, "entities": [{"text": string, "label": string}]}. The labels are: ${quoted(labels)}. ` +
        'Every stretch of the text that is such an entity is listed, in order, copied letter by letter; nothing else is. ' +
        'About one text in ten holds none and has "entities": [].'
      );
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
