import { createHash } from 'node:crypto';

/** A tool in the caller's form, if models get another one. */
export interface CalledTool {
  readonly name: string;
  readonly namespace?: string;
  /** Whether its input is a text: a model is given a function with one argument, `input`. */
  readonly isCustom: boolean;
}

/** Tools of namespaces, and custom ones, by the names sent to models. */
export type CalledTools = ReadonlyMap<string, CalledTool>;

/** The most that providers take (`^[a-zA-Z0-9_-]{1,64}$`). */
const MAX_NAME_LENGTH = 64;
const HASH_LENGTH = 12;

/**
 * The name of a tool as sent to models: prefixed with its namespace, as in `crm__find_customer`. A name that no
 * provider accepts ends in a hash instead. Deterministic, so that calls of earlier turns get the same name.
 */
export function givenName(name: string, namespace: string | null | undefined): string {
  if (!namespace) return name;
  const whole = `${namespace}__${name}`;
  const plain = whole.replace(/[^\w-]/g, '_');
  if (plain === whole && whole.length <= MAX_NAME_LENGTH) return whole;
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, HASH_LENGTH);
  return `${plain.slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}

/** The arguments that pass a custom tool's text input to a model. */
export const customArguments = (input: string): string => JSON.stringify({ input });

/**
 * The text that a model gave a custom tool. If a model ignored the tool's only argument, everything it wrote is the
 * text.
 */
export function customInput(json: string): string {
  try {
    const { input } = JSON.parse(json) as { readonly input?: unknown };
    return typeof input === 'string' ? input : json;
  } catch {
    return json;
  }
}
