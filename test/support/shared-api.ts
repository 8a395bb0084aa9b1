import { ENGINES } from '#gpu-runner/engines/engines.js';
import { requestJson, startTestApi, type TestApi, type TestParts, type TestSystem } from './api.js';
import { startHostedApi, type HostedApi, type HostedSystem } from './hosted-api.js';

/** Systems of this process that spec files share, by the engines that they have. */
const systems = new Map<unknown, Promise<TestSystem>>();

/**
 * A team of its own on a system that spec files share (each of Jest's processes has one), without rate limits. For specs that hold
 * whatever other teams do: those that read the whole log, health or an operator's view start their own (`startTestApi`), and so do
 * those that leave what other teams meet, such as benchmarks or refused networks. Settings of the API alone: `anotherApi`.
 */
export async function sharedTestApi({ engines = ENGINES }: Pick<TestParts, 'engines'> = {}): Promise<TestApi> {
  if (!systems.has(engines)) systems.set(engines, startTestApi({ rateLimits: false }, { engines }).then(closedAtEnd));
  const team = await (await systems.get(engines)!).anotherTeam();
  return { ...team, close: () => endTrainings(team) };
}

let hosted: Promise<HostedSystem> | null = null;

/** The same for specs of hosted models, with rate limits; the providers are never kept from calls for their failures. */
export async function sharedHostedApi(): Promise<HostedApi> {
  hosted ??= startHostedApi({ circuit_failure_percent: 100 }).then(closedAtEnd);
  const { api: system, openai, claude } = await hosted;
  for (const provider of [openai, claude]) provider.forget();
  const api = await system.anotherTeam();
  const close = () => endTrainings(api);
  return { api: { ...api, close }, openai, claude, close };
}

/** `scripts/jest-worker.mjs` closes it. */
function closedAtEnd<System extends { close(): Promise<void> }>(system: System): System {
  const atEnd = (globalThis as unknown as Record<symbol, (() => Promise<void>)[]>)[Symbol.for('anneal.shared')];
  atEnd!.push(() => system.close());
  return system;
}

/** Lets go of the runner: some trainings wait for what never comes. */
async function endTrainings({ url, session }: TestApi): Promise<void> {
  const headers = { authorization: `Bearer ${session}` };
  const ask = (method: string, path: string, body?: object) => requestJson(url + path, method, body, headers);
  const idsOf = async (list: string, path: string): Promise<readonly string[]> =>
    ((await ask('GET', path)).body[list] as { readonly id: string }[]).map(({ id }) => id);
  for (const id of await idsOf('improvements', '/improvements?status=open'))
    await ask('POST', `/improvements/${id}/cancel`, {});
  for (const status of ['requested', 'running'])
    for (const id of await idsOf('training_jobs', `/felix/training-jobs?status=${status}`))
      await ask('POST', `/felix/training-jobs/${id}/stop`);
}
