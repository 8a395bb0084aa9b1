/** With the field names of `POST /felix/evaluations`, which its errors name. Null is as good as absent. */
export interface EvaluationOrder {
  readonly base_model?: string | null;
  readonly model_id?: string | null;
  readonly dataset_name?: string | null;
  readonly version_number?: string | number | null;
  readonly held_out_of?: string | null;
  readonly cross_validation_of?: string | null;
  readonly folds?: number | null;
  readonly max_examples?: number | null;
  readonly max_answer_tokens?: number | null;
  readonly judge_model_id?: string | null;
  readonly judge_rubric?: string | null;
  readonly max_cost?: number | null;
  readonly project_id?: string | null;
}
