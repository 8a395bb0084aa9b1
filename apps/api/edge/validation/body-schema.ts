import { setTimeout as sleep } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import { generateSchema } from '@nestjs/swagger';
import { Ajv } from 'ajv';
import { InvalidError } from '#domain/errors.js';
import { isClosed } from './closed.js';
import { findFaults, type Compile } from './faults.js';
import { jsonSchema, type JsonSchema } from './json-schema.js';
import { loosened } from './loosely.js';
import { kindOf, Reader, type Path } from '#primitives/reader.js';
import { isRecord } from '#primitives/values.js';

interface Compiled {
  readonly schema: JsonSchema;
  readonly fields: ReadonlySet<string>;
  readonly accepts: (value: unknown) => boolean;
}

type Hints = (reader: Reader, body: Readonly<Record<string, unknown>>) => void;

/**
 * Checks the bodies of a hot route against the OpenAPI schema of their DTO class, compiled once. A valid body costs one
 * run of compiled code; faults of an invalid one are located afterwards.
 */
export class BodySchema<Body extends object> {
  private compiled: Compiled | null = null;
  private open: BodySchema<Body> | null = null;

  /** @param closes classes that accept only their own fields; default: those declared so */
  constructor(
    private readonly dto: Type<Body>,
    private readonly closes = isClosed,
  ) {
    declared.push(this);
  }

  /**
   * @param hints adds more specific problems to a refused body, which replace the schema's for those values
   * @throws InvalidError naming every field that is wrong
   */
  checked(body: unknown, hints?: Hints): Body {
    const { schema, accepts } = (this.compiled ??= this.compile());
    if (accepts(body)) return body as Body;
    const reader = new Reader();
    if (isRecord(body)) {
      const hinted = new Reader();
      hints?.(hinted, body);
      findFaults(schema, body, reader, { hinted: hinted.problems, compile: compilerOf(schema) });
    } else if (body === undefined) reader.refuse([], 'is required; send a JSON object', 'missing');
    else reader.refuse([], `must be a JSON object, not ${kindOf(body)}`, 'wrong_type');
    throw new InvalidError(reader.problems);
  }

  /**
   * The same, but fields that a class within does not declare are ignored.
   * @param ignore is told of their paths
   * @throws InvalidError as above
   */
  checkedOpen(body: unknown, ignore: (path: Path) => void, hints?: Hints): Body {
    const { schema, accepts } = (this.compiled ??= this.compile());
    if (accepts(body)) return body as Body;
    if (isRecord(body)) {
      const reader = new Reader();
      findFaults(schema, body, reader, { hinted: [], compile: compilerOf(schema) });
      for (const { path, type } of reader.problems) if (type === 'unknown_field') ignore(path.slice(1));
    }
    return (this.open ??= new BodySchema(this.dto, () => false)).checked(body, hints);
  }

  /**
   * The same, but a body is taken that says the same in other types (`loosened`).
   * @returns the body as the schema has it
   * @throws InvalidError as above
   */
  checkedLoosely(body: unknown, hints?: Hints): Body {
    const { schema, accepts } = (this.compiled ??= this.compile());
    if (accepts(body)) return body as Body;
    return this.checked(isRecord(body) ? loosened(schema, body, compilerOf(schema)) : body, hints);
  }

  /** The names of the fields that the class declares. */
  get fields(): ReadonlySet<string> {
    return (this.compiled ??= this.compile()).fields;
  }

  /** Compiles the check in advance, so that the first body does not wait for it. */
  prepare(): void {
    this.compiled ??= this.compile();
  }

  private compile(): Compiled {
    const { schemas } = generateSchema(this.dto);
    const schema = jsonSchema(this.dto.name, schemas, this.closes);
    const { $defs: _, ...root } = schema;
    const accepts = compilerOf(schema)({ type: 'object', ...root });
    return { schema, accepts, fields: new Set(Object.keys(schema.properties ?? {})) };
  }
}

/** Every schema that was declared. */
const declared: BodySchema<object>[] = [];

/** Between the checks of two bodies, requests are served. */
const PAUSE_MS = 30;

/**
 * Compiles the checks of all bodies, some 20 ms each, one after another: a process that serves does so once it listens. A body
 * that comes before waits for its own check alone.
 */
export async function prepareBodySchemas(): Promise<void> {
  for (const schema of declared) {
    await sleep(PAUSE_MS, undefined, { ref: false });
    schema.prepare();
  }
}

const ajv = new Ajv({
  ...{ messages: false, allowUnionTypes: true, strictTypes: false, logger: false },
  // Half of the time to compile a schema, for a tenth of that to run it.
  ...{ meta: false, validateSchema: false, code: { optimize: false } },
  // Whether a text is empty does not depend on code points.
  unicode: false,
});
ajv.addVocabulary(['x-expected', 'x-refusal', 'x-item']);

/** Compiles parts of a schema. */
const compilerOf =
  ({ $defs }: JsonSchema): Compile =>
  (part) => {
    let accepts = compiled.get(part);
    // Under `if`, compiled code does not record errors.
    if (!accepts) compiled.set(part, (accepts = ajv.compile({ $defs, if: part, else: false })));
    return accepts;
  };

const compiled = new WeakMap<JsonSchema, (value: unknown) => boolean>();
