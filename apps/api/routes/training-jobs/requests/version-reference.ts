import { ValidateBy } from 'class-validator';
import { bodyField } from '../../../edge/validation/index.js';

/** A dataset version as clients write it: a number, its digits, or `latest`. */
export const VersionReference = (): PropertyDecorator =>
  bodyField(
    {
      ...{ optional: true, oneOf: [{ type: 'string' }, { type: 'integer' }], default: 'latest' },
      description: 'A version number, or `latest`: the newest ready version',
    },
    ValidateBy({
      name: 'isVersionReference',
      validator: {
        validate: (value: unknown) =>
          (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) ||
          (typeof value === 'string' && (value === 'latest' || /^[1-9]\d{0,14}$/.test(value))),
        defaultMessage: () => '$property must be a version number or "latest"',
      },
    }),
  );
