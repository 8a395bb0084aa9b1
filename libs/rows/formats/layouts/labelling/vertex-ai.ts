import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import type { GivenSpan, Layout, RowContext } from '../layout.js';

/**
 * Data items of Vertex AI for text: `textContent` with segments, or with one or several classes.
 * @see https://cloud.google.com/vertex-ai/docs/text-data/entity-extraction/prepare-data
 */
export const vertexAi: Layout = {
  name: 'vertex-ai',
  title: 'Vertex AI JSONL',
  unit: 'items',
  toolKeys: /^(?:text.*|classification.*|languageCode|dataItemResourceLabels)$/,
  offsets: 'code points',
  needs: [
    { what: '"textContent"', holds: ({ textContent }) => typeof textContent === 'string' },
    {
      what: '"textSegmentAnnotations", "classificationAnnotation" or "classificationAnnotations"',
      holds: (row) => segmentsOf(row) !== null || classesOf(row) !== null,
    },
  ],
  read(row, context) {
    const { textContent: text } = row;
    const [segments, classes] = [segmentsOf(row), classesOf(row)];
    if (typeof text !== 'string' || (segments === null && classes === null)) {
      context.refuse('', 'must have "textContent" and annotations, as the rows before it');
      return [];
    }
    return [
      {
        text,
        ...(segments && { entities: context.entities(text, spansOf(segments, context)) }),
        ...(classes && context.classes('classificationAnnotation', classes)),
      },
    ];
  },
};

const segmentsOf = ({ textSegmentAnnotations: list }: JsonObject): readonly JsonObject[] | null =>
  Array.isArray(list) && (list as readonly Json[]).every(isObject) ? (list as readonly JsonObject[]) : null;

function classesOf({ classificationAnnotation, classificationAnnotations }: JsonObject): readonly string[] | null {
  const list =
    classificationAnnotations ?? (classificationAnnotation === undefined ? null : [classificationAnnotation]);
  if (!Array.isArray(list)) return null;
  const names = (list as readonly Json[]).map((each) => (isObject(each) ? each.displayName : undefined));
  return names.every((name) => typeof name === 'string') ? names : null;
}

/** Offsets may be texts, like 64-bit numbers in Google's JSON; 0 is left out. */
function spansOf(segments: readonly JsonObject[], context: RowContext): readonly GivenSpan[] {
  return segments.flatMap(({ startOffset = 0, endOffset, displayName }, index) => {
    const [start, end] = [Number(startOffset), Number(endOffset)];
    const at = `textSegmentAnnotations[${index}]`;
    if (Number.isSafeInteger(start) && end > start && typeof displayName === 'string')
      return [{ start, end, label: displayName, at }];
    context.refuse(at, 'must have startOffset, endOffset and displayName');
    return [];
  });
}
