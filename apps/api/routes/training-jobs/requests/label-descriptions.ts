import { ValidateBy } from 'class-validator';
import { isRecord } from '#primitives/values.js';
import { bodyField } from '../../../edge/validation/index.js';

const MAX_LABELS = 1_000;
/** As many as are read. */
const MAX_CHARACTERS = 500;

/** What classes mean, by label. */
export const LabelDescriptions = (): PropertyDecorator =>
  bodyField(
    {
      ...{ optional: true, type: 'object', additionalProperties: { type: 'string', maxLength: MAX_CHARACTERS } },
      ...{ maxProperties: MAX_LABELS, example: { refund: 'wants money back' } },
      description:
        'What classes mean, by label; a class that no row has is learned from it alone. For built-in encoders',
    },
    ValidateBy({
      name: 'isLabelDescriptions',
      validator: {
        validate: (value: unknown) => problemOf(value) === null,
        defaultMessage: (about) => `$property ${problemOf(about?.value)}`,
      },
    }),
  );

function problemOf(value: unknown): string | null {
  if (!isRecord(value)) return 'must be an object of labels and their descriptions';
  const entries = Object.entries(value);
  if (entries.length === 0 || entries.length > MAX_LABELS) return `must describe 1 to ${MAX_LABELS} labels`;
  const bad = entries.find(
    ([label, text]) =>
      !/\S/.test(label) || typeof text !== 'string' || !/\S/.test(text) || text.length > MAX_CHARACTERS,
  );
  return bad
    ? `must describe ${JSON.stringify(bad[0].slice(0, 100))} in a text of 1 to ${MAX_CHARACTERS} characters`
    : null;
}
