import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { schemasOfPublishedTypes } from './published-schemas.js';

/** Checks values against the types that the SDKs publish, as `published-types.ts` names them. */
export class Published {
  private readonly ajv = new Ajv({ strict: false, allErrors: true });
  private readonly compiled = new Map<string, ValidateFunction>();

  private constructor(private readonly schemas: Readonly<Record<string, object>>) {}

  static async read(): Promise<Published> {
    return new Published(await schemasOfPublishedTypes());
  }

  /** @returns what is wrong, or null. A field that the type does not have is wrong in a body, and may be in an answer */
  problem(type: string, value: unknown): string | null {
    const validate = this.compiled.get(type) ?? this.compile(type);
    return validate(value) ? null : `${type}: ${told(validate.errors ?? []).join('; ')}`;
  }

  private compile(type: string): ValidateFunction {
    const schema = this.schemas[type];
    if (!schema) throw new Error(`no published type ${type}`);
    const validate = this.ajv.compile(schema);
    this.compiled.set(type, validate);
    return validate;
  }
}

/** Ajv reports every variant of a union; drops those whose `type` differs from the value's. */
function told(errors: readonly ErrorObject[]): readonly string[] {
  const variantOf = ({ schemaPath }: ErrorObject) => schemaPath.slice(0, schemaPath.indexOf('/', 15));
  const others = new Set(errors.filter(isOfAnotherKind).map(variantOf));
  const near = errors.filter((error) => error.keyword !== 'anyOf' && !others.has(variantOf(error)));
  const chosen = near.length > 0 ? near : errors;
  return chosen
    .slice(0, 5)
    .map(({ instancePath, message, params }) => `${instancePath || 'it'} ${message} ${JSON.stringify(params)}`);
}

const isOfAnotherKind = ({ keyword, instancePath }: ErrorObject) =>
  ['const', 'enum'].includes(keyword) && /\/(?:type|role|object)$/.test(instancePath);
