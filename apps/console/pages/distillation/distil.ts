import { fetchAnswer, refusal } from '../../api/client.js';

/** What is to be distilled. */
interface DistilOrder {
  readonly teacher: string;
  /** Id of a task of `GET /distillable`. */
  readonly task: string;
  readonly from: { readonly project_id?: string; readonly since?: string };
  readonly target_agreement: number;
}

/** A distillation of a name. */
export interface Distillation {
  readonly id: string;
  readonly status: string;
  readonly error?: string | null;
  readonly target_agreement?: number | null;
  /** Share of the calls that the model answers by itself. */
  readonly share?: number | null;
  readonly agreement?: number | null;
}

/** Begins a distillation. @throws ApiError */
export async function distil(name: string, order: DistilOrder): Promise<void> {
  await asked(`/models/${encodeURIComponent(name)}/distil`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(order),
  });
}

/** The distillations of a name, the newest first. @throws ApiError */
export async function distillationsOf(name: string): Promise<readonly Distillation[]> {
  const answer = await asked(`/models/${encodeURIComponent(name)}/distillations`);
  return ((await answer.json()) as { readonly distillations: readonly Distillation[] }).distillations;
}

async function asked(address: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetchAnswer(address, init);
  if (!answer.ok) throw await refusal(answer);
  return answer;
}
