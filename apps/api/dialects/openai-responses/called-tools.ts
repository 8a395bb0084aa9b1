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
