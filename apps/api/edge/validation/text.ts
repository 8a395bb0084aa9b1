import { ValidateBy } from 'class-validator';
import { isPrintable } from '#domain/printable.js';

/** A text with a visible character. */
export const NotBlank = (): PropertyDecorator =>
  ValidateBy({
    name: 'notBlank',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && /\S/.test(value),
      defaultMessage: () => '$property must not be blank',
    },
  });

/** Requires a name whose characters are all visible, wherever it is printed. */
export const Printable = (): PropertyDecorator =>
  ValidateBy({
    name: 'printable',
    validator: {
      validate: (value: unknown) => typeof value !== 'string' || isPrintable(value),
      defaultMessage: () => '$property must hold no control characters, line breaks or changes of direction',
    },
  });
