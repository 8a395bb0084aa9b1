import { ValidateBy } from 'class-validator';

/** A text of which something can be seen. */
export const NotBlank = (): PropertyDecorator =>
  ValidateBy({
    name: 'notBlank',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && /\S/.test(value),
      defaultMessage: () => '$property must not be blank',
    },
  });
