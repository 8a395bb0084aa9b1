/** The schema of an encoder's call as requests have it: entity labels, or heads. A list or map is one of the two forms of the same. */
export type SchemaBody = (string | EntityDefinition)[] | SchemaDefinition;

export interface SchemaDefinition {
  readonly entities?: (string | EntityDefinition)[] | Record<string, string | EntityDetails | null> | null;
  readonly classifications?:
    (ClassificationDetails & { readonly task: string })[] | Record<string, string[] | ClassificationDetails> | null;
  /** Fields by the name of their structure; a field may be `name::str|list::[a|b]::description`. */
  readonly structures?: Record<string, Fields | { readonly fields: Fields }> | null;
  readonly relations?: (string | RelationDetails)[] | Record<string, string | RelationDetails | null> | null;
  readonly flat_ner?: boolean | null;
}

export interface EntityDetails {
  readonly description?: string | null;
  readonly threshold?: number | null;
  readonly dtype?: 'str' | 'list' | null;
}

type EntityDefinition = EntityDetails & { readonly name: string };

export interface ClassificationDetails {
  readonly labels: string[] | Record<string, string | null>;
  readonly multi_label?: boolean | null;
  readonly top_k?: number | null;
  readonly threshold?: number | null;
}

export interface FieldDefinition {
  readonly name: string;
  readonly dtype?: 'str' | 'list' | null;
  readonly choices?: string[] | null;
  readonly description?: string | null;
  readonly threshold?: number | null;
}

type Fields = (string | FieldDefinition)[];

export interface RelationDetails {
  readonly name?: string | null;
  /** Alias of `name`, as is `type`. */
  readonly relation?: string | null;
  readonly type?: string | null;
  readonly head?: string | null;
  readonly tail?: string | null;
  readonly description?: string | null;
  readonly threshold?: number | null;
}
