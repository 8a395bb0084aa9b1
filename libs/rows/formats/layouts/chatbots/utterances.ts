import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import type { GivenSpan, Layout } from '../layout.js';
import { isText } from '../parts/named-columns.js';

/** Keys of an entity in an utterance. */
interface EntityKeys {
  readonly label: string;
  readonly start: string;
  readonly end: string;
  /** Meaning of `end`. */
  readonly counts: 'end' | 'last' | 'length';
}

/** Azure's conversational language understanding, and LUIS, which counts the last character. */
const AZURE: readonly EntityKeys[] = [
  { label: 'category', start: 'offset', end: 'length', counts: 'length' },
  { label: 'entity', start: 'startPos', end: 'endPos', counts: 'last' },
];
const RASA: readonly EntityKeys[] = [{ label: 'entity', start: 'start', end: 'end', counts: 'end' }];

/** @see https://learn.microsoft.com/azure/ai-services/language-service/conversational-language-understanding/concepts/data-formats */
export const azureUtterances = utterances('azure-utterances', 'utterances of Azure Language', 'UTF-16', AZURE);

/** @see https://legacy-docs-oss.rasa.com/docs/rasa/1.10.x/nlu/training-data-format#json-format */
export const rasa = utterances('rasa', 'Rasa JSON', 'code points', RASA);

/** A text with its intent, which is a class, and its entities. */
function utterances(name: string, title: string, offsets: Layout['offsets'], styles: readonly EntityKeys[]): Layout {
  const names = styles.map(({ label, start, end }) => `{"${label}", "${start}", "${end}"}`).join(' or ');
  return {
    name,
    title,
    unit: 'utterances',
    offsets,
    needs: [
      { what: '"text" and "intent"', holds: ({ text, intent }) => isText(text) && isText(intent) },
      {
        what: `"entities", a list of ${names}`,
        holds: (row) => row.entities !== undefined && spansOf(row, styles) !== null,
      },
    ],
    read(row, context) {
      const { text, intent } = row;
      const spans = spansOf(row, styles);
      if (!isText(text) || !isText(intent) || spans === null) {
        context.refuse('', `must have "text", "intent" and "entities", a list of ${names}`);
        return [];
      }
      return [{ text, entities: context.entities(text, spans), ...context.classes('intent', [intent]) }];
    },
  };
}

function spansOf({ entities = [] }: JsonObject, styles: readonly EntityKeys[]): readonly GivenSpan[] | null {
  if (!Array.isArray(entities)) return null;
  const spans: GivenSpan[] = [];
  for (const [index, entity] of (entities as readonly Json[]).entries()) {
    const style = isObject(entity)
      ? styles.find(({ label, start, end }) => [label, start, end].every((key) => entity[key] !== undefined))
      : undefined;
    if (style === undefined) return null;
    const { [style.label]: label, [style.start]: start, [style.end]: end } = entity as JsonObject;
    if (!isText(label) || !Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return null;
    const [from, to] = [start as number, end as number];
    spans.push({
      start: from,
      end: style.counts === 'length' ? from + to : to + Number(style.counts === 'last'),
      label,
      at: `entities[${index}]`,
    });
  }
  return spans;
}
