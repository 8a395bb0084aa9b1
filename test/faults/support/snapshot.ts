import { Client } from '#apps/demo/client.js';

interface Listed {
  readonly datasets: readonly { readonly name: string }[];
  readonly training_jobs: readonly { readonly id: string }[];
  readonly inferences: readonly { readonly id?: string; readonly inference_id?: string }[];
  readonly total: number;
}

const PAGE = 100;

/** Everything that the API tells from read models. */
export async function everyAnswer(api: Client): Promise<Readonly<Record<string, unknown>>> {
  const answers: Record<string, unknown> = {};
  const get = async (path: string) => {
    answers[path] = await api.get(path);
    return answers[path] as Listed;
  };
  for (const path of ['/projects', '/list-api-keys', '/felix/evaluations', '/felix/trained-models']) await get(path);
  const { datasets } = await get('/felix/datasets?include_failed=true&limit=1000');
  for (const { name } of datasets) await get(`/felix/datasets/${name}`);
  const { training_jobs: jobs } = await get('/felix/training-jobs');
  for (const { id } of jobs) {
    await get(`/felix/training-jobs/${id}`);
    await get(`/felix/training-jobs/${id}/checkpoints`);
  }
  for (let offset = 0; ; offset += PAGE) {
    const { inferences, total } = await get(`/inferences?limit=${PAGE}&offset=${offset}`);
    if (inferences.length === 0 || offset + PAGE >= total) return answers;
  }
}
