import { ValidateBy } from 'class-validator';
import { isRecord } from '#primitives/values.js';
import { bodyField } from '../../../edge/validation/index.js';

const MAX_LABELS = 500;
/** As of rows. */
const MAX_LABEL_CHARACTERS = 200;
/** As many as are read. */
const MAX_CHARACTERS = 500;

/** A field of descriptions of classes, by label. */
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
  const label = entries.find(([name]) => !fits(name, MAX_LABEL_CHARACTERS))?.[0];
  if (label !== undefined) return `must have labels of 1 to ${MAX_LABEL_CHARACTERS} characters, not ${shown(label)}`;
  const undescribed = entries.find(([, text]) => !fits(text, MAX_CHARACTERS))?.[0];
  return undescribed === undefined
    ? null
    : `must describe ${shown(undescribed)} in a text of 1 to ${MAX_CHARACTERS} characters`;
}

const fits = (text: unknown, most: number): boolean =>
  typeof text === 'string' && /\S/.test(text) && text.length <= most;

const shown = (label: string): string => JSON.stringify(label.slice(0, 100));
