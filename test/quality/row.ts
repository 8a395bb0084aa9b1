interface ChoiceValue {
  readonly value: string;
  readonly choices: readonly string[];
}

/** A row of a data set, in the form of uploads. */
export interface Row {
  readonly text: string;
  readonly entities?: readonly (readonly [string, string])[];
  readonly label?: string;
  readonly json_structures?: readonly Readonly<Record<string, Readonly<Record<string, string | ChoiceValue>>>>[];
  readonly relations?: readonly Readonly<Record<string, { readonly head: string; readonly tail: string }>>[];
}
