import type { Json, JsonObject } from '#domain/json.js';
import type { Layout } from '../layout.js';
import { isText } from '../parts/named-columns.js';

const INTENTS = ['intent', 'tag'];
const EXAMPLES = ['utterances', 'patterns', 'examples'];

/** An intent with the texts that mean it, as the corpora of nlp.js and many `intents.json` of chatbots have it. */
export const intentExamples: Layout = {
  name: 'intent-examples',
  title: 'intents with examples',
  unit: 'intents',
  offsets: 'code points',
  needs: [
    { what: `a name under ${INTENTS.join(', ')}`, holds: (row) => INTENTS.some((key) => isText(row[key])) },
    { what: `a list of texts under ${EXAMPLES.join(', ')}`, holds: (row) => examplesOf(row) !== null },
  ],
  read(row, context) {
    const intent = INTENTS.map((key) => row[key]).find(isText);
    const examples = examplesOf(row);
    if (intent === undefined || examples === null) {
      context.refuse('', `must have the name of an intent and a list of texts under ${EXAMPLES.join(', ')}`);
      return [];
    }
    const texts = examples.filter(isText);
    if (texts.length < examples.length) context.tell('empty examples left out', examples.length - texts.length);
    if (texts.length === 0) context.tell('without examples');
    return texts.map((text) => ({ text, ...context.classes('intent', [intent]) }));
  },
};

function examplesOf(row: JsonObject): readonly string[] | null {
  const list = EXAMPLES.map((key) => row[key]).find(Array.isArray) as readonly Json[] | undefined;
  return list?.every((each) => typeof each === 'string') ? list : null;
}
