/** A tool for agents: one route of the API, with its parameters and the fields of its body as arguments. */
export interface RouteTool {
  readonly name: string;
  /** Method and path as in the OpenAPI document, whose summary and fields describe the tool. */
  readonly route: string;
  /** The things that the route deletes or erases; a person is asked before. */
  readonly loses?: string;
}

const tool = (name: string, route: string, loses?: string): RouteTool => ({
  name,
  route,
  ...(loses !== undefined && { loses }),
});

/** The tools, in the order of the work: data, training, comparing, asking, correcting, improving, proving. */
export const ROUTE_TOOLS: readonly RouteTool[] = [
  tool('list_datasets', 'GET /felix/datasets'),
  tool('get_dataset', 'GET /felix/datasets/{name}'),
  tool('get_dataset_version', 'GET /felix/datasets/{name}/{version}'),
  tool('preview_rows', 'GET /felix/datasets/{name}/{version}/preview'),
  tool('get_dataset_report', 'GET /felix/datasets/{name}/{version}/report'),
  tool('compare_dataset_versions', 'GET /felix/datasets/{name}/{version}/diff'),
  tool('merge_datasets', 'POST /felix/datasets/merge'),
  tool('make_dataset_from_corrections', 'POST /felix/datasets/from-feedback'),
  tool('pull_dataset_from_hub', 'POST /felix/datasets/pull-from-hub'),
  tool('delete_dataset_version', 'DELETE /felix/datasets/{name}/{version}', 'the rows of this version'),
  tool('delete_dataset', 'DELETE /felix/datasets/{name}', 'the rows of every version of this dataset'),
  tool('generate_rows', 'POST /generate'),
  tool('get_generation', 'GET /generate/jobs/{id}'),

  tool('list_base_models', 'GET /base-models'),
  tool('estimate_training', 'POST /felix/training-jobs/estimate'),
  tool('train', 'POST /felix/training-jobs'),
  tool('list_training_jobs', 'GET /felix/training-jobs'),
  tool('get_training_job', 'GET /felix/training-jobs/{id}'),
  tool('get_training_logs', 'GET /felix/training-jobs/{id}/logs'),
  tool('stop_training', 'POST /felix/training-jobs/{id}/stop'),
  tool('delete_training_job', 'DELETE /felix/training-jobs/{id}', 'the weights of this model and its checkpoints'),

  tool('evaluate', 'POST /felix/evaluations'),
  tool('list_evaluations', 'GET /felix/evaluations'),
  tool('get_evaluation', 'GET /felix/evaluations/{id}'),
  tool('compare_evaluation', 'GET /felix/evaluations/{id}/comparison'),

  tool('ask', 'POST /inference'),
  tool('list_models', 'GET /models'),
  tool('get_model', 'GET /models/{name}'),
  tool('create_model', 'POST /models'),
  tool('add_model_version', 'POST /models/{name}/versions'),
  tool('promote_version', 'PUT /models/{name}/versions/{n}/promote'),
  tool('roll_back_model', 'POST /models/{name}/rollback'),
  tool('get_drift', 'GET /models/{name}/drift'),
  tool('delete_model', 'DELETE /models/{name}', 'this name, by which programs call its versions'),

  tool('list_calls', 'GET /inferences'),
  tool('get_call', 'GET /inferences/{id}'),
  tool('get_call_statistics', 'GET /inferences/stats'),
  tool('list_review', 'GET /review'),
  tool('give_feedback', 'POST /inferences/{id}/feedback'),
  tool('erase_call', 'DELETE /inferences/{id}', 'the contents of this call, for everyone'),
  tool('improve_model', 'POST /models/{name}/improve'),
  tool('list_improvements', 'GET /models/{name}/improvements'),
  tool('get_improvement', 'GET /improvements/{id}'),
  tool('list_distillable', 'GET /distillable'),
  tool('distil_model', 'POST /models/{name}/distil'),
  tool('get_distillation', 'GET /distillations/{id}'),
  tool('get_savings', 'GET /models/{name}/savings'),

  tool('get_training_lineage', 'GET /felix/training-jobs/{id}/lineage'),
  tool('get_call_lineage', 'GET /inferences/{id}/lineage'),
  tool('get_dataset_lineage', 'GET /lineage/datasets/{name}/{version}'),
  tool('list_events', 'GET /events'),
  tool('get_usage', 'GET /account/usage'),
];
