import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, body } from '../../api/client.js';
import { useMay } from '../../api/permitted.js';
import { trainedTitle } from '../../components/trained-title.js';

/** Of a model of the catalog that has a name. */
const NO_FIGURES = { metrics: null, completed_at: null };

export interface Callable {
  readonly id: string;
  readonly title: string;
  /** A trained model answers with the labels that it was trained with. */
  readonly hasLabels: boolean;
  /** Programs call it by this name, whose versions change. */
  readonly isName: boolean;
  /** A decoder is asked by messages. */
  readonly isDecoder: boolean;
}

export interface CallableModels {
  /** Names in force first, then trained models without a name, then base models. */
  readonly models: readonly Callable[];
  /** Ids of trained models that are asked by messages. */
  readonly decoders: ReadonlySet<string>;
}

/** Models that can be called in the playground. */
export function useCallable(): UseQueryResult<CallableModels> {
  const mayList = useMay()('GET /models');
  return useQuery({ queryKey: ['callable', mayList], queryFn: mayList ? findCallable : findIds });
}

async function findCallable(): Promise<CallableModels> {
  const [named, trained, base] = await Promise.all([
    body(api.GET('/models', { params: { query: { limit: 100 } } })),
    body(api.GET('/felix/trained-models', { params: { query: { limit: 100 } } })),
    body(api.GET('/base-models', { params: { query: { supports_inference: true } } })),
  ]);
  const decoders = new Set(
    trained.models.filter(({ task_type }) => task_type === 'decoder').map(({ model_id }) => model_id),
  );
  const byId = new Map(trained.models.map((model) => [model.model_id, model]));
  const inUse = new Set(named.models.map(({ model_id }) => model_id));
  const models = [
    ...named.models
      .filter(({ model_id }) => model_id !== null)
      .map(({ name, model_id }) => ({
        id: name,
        title: trainedTitle({ ...NO_FIGURES, ...byId.get(model_id!), model_name: name }),
        hasLabels: true,
        isName: true,
        isDecoder: decoders.has(model_id!),
      })),
    // Versions that a name stands for are called by the name.
    ...trained.models
      .filter(({ model_id, named_model }) => !inUse.has(model_id) && named_model === null)
      .map((model) => ({
        ...{ id: model.model_id, title: trainedTitle(model), hasLabels: true, isName: false },
        isDecoder: decoders.has(model.model_id),
      })),
    ...base.models
      .filter(({ task_type }) => task_type !== 'embedding')
      .map(({ id, label, task_type }) => ({
        id,
        title: label,
        hasLabels: false,
        isName: false,
        isDecoder: task_type === 'decoder',
      })),
  ];
  return { models, decoders };
}

/** For people who may call models and see nothing else of them: what programs are told. */
async function findIds(): Promise<CallableModels> {
  const { data } = await body(api.GET('/v1/models', { params: { query: { limit: 1000 } } }));
  const models = data.map(({ id, display_name, owned_by }) => ({
    id,
    title: display_name,
    hasLabels: owned_by === 'workspace',
    isName: false,
    isDecoder: false,
  }));
  return { models, decoders: new Set() };
}
