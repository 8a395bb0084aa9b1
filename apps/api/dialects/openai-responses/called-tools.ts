/** A tool in the caller's form, if models get another one. */
export interface CalledTool {
  readonly name: string;
  readonly namespace?: string;
  /** Whether its input is a text: a model is given a function with one argument, `input`. */
  readonly isCustom: boolean;
}

/** Tools of namespaces, and custom ones, by the names sent to models. */
export type CalledTools = ReadonlyMap<string, CalledTool>;

/** The name of a tool as models know it: prefixed with its namespace, as in `crm__find_customer`. */
export const givenName = (name: string, namespace: string | null | undefined): string =>
  namespace ? `${namespace}__${name}` : name;

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
