import type { FieldSpec, GenerationTask, RelationSpec, RowsRequest } from '#domain/generation-job/index.js';

/** A specification whose fields but the name may be left out: null is as good as absent. */
type Asked<Spec extends { readonly name: string }> = Pick<Spec, 'name'> & {
  readonly [Field in Exclude<keyof Spec, 'name'>]?: Spec[Field] | null;
};

export type FieldOrder = Asked<FieldSpec>;
export type RelationOrder = Asked<RelationSpec>;

export interface StructureOrder {
  readonly name: string;
  readonly fields: readonly FieldOrder[];
}

/** Where rows are stored. */
export interface SavingOrder {
  readonly dataset_name?: string | null;
  /** null or absent: if there is a name. */
  readonly save_dataset?: boolean | null;
}

/** With the field names of `POST /generate`, which its errors name. Null is as good as absent. */
export interface GenerationOrder extends SavingOrder {
  readonly task_type: GenerationTask;
  readonly labels?: readonly string[] | null;
  readonly structures?: readonly StructureOrder[] | null;
  readonly relations?: readonly RelationOrder[] | null;
  readonly num_examples?: number | null;
  readonly domain_description?: string | null;
  readonly prompt?: string | null;
  readonly instruction?: string | null;
  readonly fields?: readonly FieldOrder[] | null;
  readonly input_fields?: readonly FieldOrder[] | null;
  readonly output_fields?: readonly FieldOrder[] | null;
  readonly classified_examples?: RowsRequest['classifiedExamples'] | null;
  readonly project_id?: string | null;
  readonly seed?: number | null;
  /** The generator. */
  readonly model_id?: string | null;
}

/** With the field names of `POST /generate/ner/label-existing`, which its errors name. Null is as good as absent. */
export interface LabellingOrder extends SavingOrder {
  readonly task_type: 'ner' | 'classification';
  readonly inputs: readonly string[];
  readonly labels: readonly string[];
  readonly multi_label?: boolean | null;
  readonly threshold?: number | null;
  readonly domain_description?: string | null;
  /** An encoder. */
  readonly model_id?: string | null;
  readonly project_id?: string | null;
}
