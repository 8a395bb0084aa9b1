/**
 * The schema of a property that holds any JSON value, including null. Without one, the property's type would be
 * "object".
 */
export const ANY_JSON = {
  oneOf: [
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
  ],
  nullable: true,
};
